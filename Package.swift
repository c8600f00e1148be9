// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Open file description locks and fopencookie are GNU extensions of the C library.
let gnu: [CSetting] = [.define("_GNU_SOURCE", .when(platforms: [.linux]))]

let package = Package(
    name: "Quire",
    platforms: [.macOS(.v15), .iOS(.v18)],  // the floor of Synchronization.Mutex
    products: [
        .library(name: "Quire", targets: ["Quire"]),
        .library(name: "QuireTesting", targets: ["QuireTesting"]),
        .executable(name: "quire", targets: ["QuireTool"]),
        .executable(name: "pdfium-bench", targets: ["PDFiumBench"]),  // for the benchmarks
    ],
    targets: [
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .target(name: "CPDFium"),
        .target(
            name: "Quire", dependencies: ["CZlib", "CPDFium"], cSettings: gnu,
            swiftSettings: settings),
        .target(name: "QuireTesting", dependencies: ["Quire"], swiftSettings: settings),
        .executableTarget(
            name: "QuireTool", dependencies: ["Quire"], cSettings: gnu, swiftSettings: settings),
        .target(
            name: "PDFiumRuntime", dependencies: ["Quire", "CPDFium", "CZlib"], cSettings: gnu,
            swiftSettings: settings),
        .executableTarget(
            name: "RenderPage", dependencies: ["Quire", "PDFiumRuntime"],
            path: "Examples/RenderPage", swiftSettings: settings),
        .executableTarget(
            name: "PDFiumBench", dependencies: ["Quire", "PDFiumRuntime"],
            path: "Benchmarks/PDFium", swiftSettings: settings),
        .testTarget(
            name: "QuireTests", dependencies: ["Quire", "QuireTesting", "PDFiumRuntime"],
            exclude: [], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
