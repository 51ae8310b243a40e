// swift-tools-version: 6.2
import PackageDescription

// Continuous integration treats warnings as errors; a user's build never fails for one.
let strictWarnings: [SwiftSetting] =
  Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]

let strict: [SwiftSetting] =
  strictWarnings + [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]

let package = Package(
  name: "FilePackages",
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    // System calls that Swift's Glibc module hides.
    .target(name: "CLinux"),

    // Files and directories that survive a power cut.
    .target(
      name: "DurableIO",
      dependencies: ["CLinux", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),

    // Trees as literals, and disks that crash or fail.
    .target(
      name: "TestSupport",
      dependencies: ["DurableIO", .product(name: "SystemPackage", package: "swift-system")],
      path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "DurableIOTests",
      dependencies: ["DurableIO", "TestSupport", .product(name: "SystemPackage", package: "swift-system")],
      swiftSettings: strict),
  ]
)
