// swift-tools-version: 6.2
import PackageDescription

let library = [
  "CloudContainers", "Documents", "FilePackages", "ImageNotes", "ObjectStores", "PackageArchive",
].map {
  Target.Dependency.product(name: $0, package: "FilePackages")
}
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// ImageNotes documents in the browser, by what the libraries offer to every program.
let package = Package(
  name: "Notes",
  products: [.executable(name: "docpkg-serve", targets: ["docpkg-serve"])],
  dependencies: [
    .package(name: "FilePackages", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.10.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.30.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
  ],
  targets: [
    .executableTarget(
      name: "docpkg-serve",
      dependencies: library + [
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      path: "Sources", resources: [.copy("Pages")], swiftSettings: strict),
    .testTarget(
      name: "NotesTests",
      dependencies: [
        "docpkg-serve", .product(name: "docpkg", package: "FilePackages"),
        .product(name: "docpkg-full", package: "FilePackages"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests", exclude: ["Pages"], swiftSettings: strict),
  ]
)
