// swift-tools-version: 6.2
import PackageDescription

// The steps by which a document-based app uses iCloud. It is a package of its own: GRDB, which the container needs, does
// not compile beside the module Combine of the other examples.
let package = Package(
  name: "UbiquityGuide",
  dependencies: [
    .package(name: "FilePackages", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "UbiquityGuide",
      dependencies: ["AppleCloud", "CloudContainers", "ObjectStores"].map {
        .product(name: $0, package: "FilePackages")
      },
      path: "Sources")
  ]
)
