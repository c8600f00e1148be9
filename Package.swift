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
        .library(name: "QuireGLib", targets: ["QuireGLib"]),  // empty without the trait GLib
        .library(name: "QuireCrypto", targets: ["QuireCrypto"]),
        .library(name: "QuireSDK", targets: ["QuireSDK"]),
        .library(name: "QuireTesting", targets: ["QuireTesting"]),
        // For QuireTesting's FileFaultInjector: preloaded by processes on Linux.
        .library(name: "QuireFileFaults", type: .dynamic, targets: ["CFileFaults"]),
        // The C library of quire.h, installed as libquire.so: "quire" is the tool's name.
        .library(name: "QuireC", type: .dynamic, targets: ["QuireC"]),
        .executable(name: "quire", targets: ["QuireTool"]),
        .executable(name: "pdfium-bench", targets: ["PDFiumBench"]),  // for the benchmarks
    ],
    traits: [
        .trait(
            name: "Libdeflate",
            description: "Deflate and inflate blocks with libdeflate: faster, and levels to 12."),
        .trait(name: "GLib", description: "Providers as streams of GIO, for poppler-glib."),
        .default(enabledTraits: []),
    ],
    targets: [
        .systemLibrary(
            name: "CZlib", pkgConfig: "zlib",
            providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CLibdeflate", pkgConfig: "libdeflate",
            providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
        .systemLibrary(
            name: "CGio", pkgConfig: "gio-2.0",
            providers: [.apt(["libglib2.0-dev"]), .brew(["glib"])]),
        // For the tests of the trait GLib.
        .systemLibrary(
            name: "CPoppler", pkgConfig: "poppler-glib",
            providers: [.apt(["libpoppler-glib-dev"]), .brew(["poppler"])]),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto",
            providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
        .target(name: "CPDFium"),
        .target(name: "CChecksum"),
        .target(
            name: "Quire",
            dependencies: [
                "CChecksum", "CZlib", "CPDFium",
                .target(name: "CLibdeflate", condition: .when(traits: ["Libdeflate"])),
            ],
            cSettings: gnu, swiftSettings: settings),
        .target(
            name: "QuireCrypto",
            dependencies: [
                "Quire",  // Apple platforms have CommonCrypto
                .target(name: "CCrypto", condition: .when(platforms: [.linux])),
            ],
            swiftSettings: settings),
        // Empty without the SDK; Tests/SDK builds it with a stand-in.
        .target(
            name: "QuireSDK", dependencies: ["Quire"], exclude: ["QuireSDK.h"],
            swiftSettings: settings),
        .target(
            name: "QuireGLib",
            dependencies: ["Quire", .target(name: "CGio", condition: .when(traits: ["GLib"]))],
            swiftSettings: settings),
        .target(name: "CQuire"),
        .target(
            name: "QuireC", dependencies: ["CQuire", "Quire"], cSettings: gnu,
            swiftSettings: settings),
        .target(name: "CFileFaults"),
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
            name: "EncryptedStore", dependencies: ["Quire", "QuireCrypto"],
            path: "Examples/EncryptedStore", swiftSettings: settings),
        .executableTarget(
            name: "CompressedFile", dependencies: ["Quire"], path: "Examples/CompressedFile",
            swiftSettings: settings),
        .executableTarget(
            name: "InMemory", dependencies: ["Quire"], path: "Examples/InMemory",
            swiftSettings: settings),
        .executableTarget(
            name: "PDFiumBench", dependencies: ["Quire", "PDFiumRuntime"],
            path: "Benchmarks/PDFium", swiftSettings: settings),
        .executableTarget(
            name: "TestHelper", dependencies: ["Quire", "QuireTesting"], path: "Tests/Helper",
            swiftSettings: settings),
        .testTarget(
            name: "QuireGLibTests",
            dependencies: [
                "Quire", "QuireGLib", "QuireTesting",
                .target(name: "CPoppler", condition: .when(traits: ["GLib"])),
            ], swiftSettings: settings),
        .testTarget(
            name: "QuireTests",
            dependencies: ["CZlib", "Quire", "QuireCrypto", "QuireTesting", "PDFiumRuntime"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
