// swift-tools-version: 6.2
import PackageDescription

// The shell for the SDK, built with a stand-in of the SDK's module. A package of its own: no target of Quire's may be called PSPDFKit.
let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "SDKTests",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Quire", path: "../..")],
    targets: [
        .target(name: "PSPDFKit", swiftSettings: settings),
        .target(
            name: "QuireSDKShell",
            dependencies: ["PSPDFKit", .product(name: "Quire", package: "Quire")],
            exclude: ["QuireSDK.h"], swiftSettings: settings),
        .testTarget(
            name: "SDKTests",
            dependencies: [
                "PSPDFKit", "QuireSDKShell", .product(name: "Quire", package: "Quire"),
                .product(name: "QuireTesting", package: "Quire"),
            ], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6])
