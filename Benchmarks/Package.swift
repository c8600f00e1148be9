// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [
        .trait(name: "Libdeflate", description: "Measures Quire with its trait of this name."),
        .default(enabledTraits: []),
    ],
    dependencies: [
        .package(
            name: "Quire", path: "..",
            traits: [.trait(name: "Libdeflate", condition: .when(traits: ["Libdeflate"]))])
    ],
    targets: [
        .systemLibrary(name: "CInflate", pkgConfig: "zlib"),  // counts what stores inflate
        .executableTarget(
            name: "bench",
            dependencies: [
                "CInflate",
                .product(name: "Quire", package: "Quire"),
                .product(name: "pdfium-bench", package: "Quire"),  // runs as a process of its own
            ],
            swiftSettings: settings),
        // The paths whose instructions are counted.
        .executableTarget(
            name: "hotpaths", dependencies: [.product(name: "Quire", package: "Quire")],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
