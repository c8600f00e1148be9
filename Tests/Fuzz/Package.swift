// swift-tools-version: 6.2
import PackageDescription

// Fuzzing, by `make fuzz`. A package of its own, as libFuzzer has its own main and wants everything instrumented.
let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Quire", path: "../..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "Quire", package: "Quire"),
                .product(name: "QuireCrypto", package: "Quire"),
                .product(name: "QuireTesting", package: "Quire"),
            ])
    ],
    swiftLanguageModes: [.v6])
