// swift-tools-version: 6.2
import PackageDescription

// A document with a database inside. It is a package of its own, because GRDB does not compile beside a module `Combine`,
// which the models of the other examples import.
let package = Package(
  name: "RecipeBook",
  dependencies: [
    .package(name: "FilePackages", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "RecipeBook",
      dependencies: [
        .product(name: "ManagedDocuments", package: "FilePackages"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Sources")
  ]
)
