// swift-tools-version: 6.2
import PackageDescription

// A target with these settings imports Combine, OSLog and os by their names, and each of its files has the names that
// Foundation has on Apple's systems.
let appleNames: [SwiftSetting] = [
  .unsafeFlags(
    ["Combine", "OSLog", "os"].flatMap { ["-module-alias", "\($0)=Apple\($0)"] }
      + ["-Xfrontend", "-import-module", "-Xfrontend", "AppleFoundation"])
]
let models: [Target.Dependency] = [
  "AppKit", "AppleNames", "Cocoa", "Documents", "SwiftUI", "UIKit", "UniformTypeIdentifiers",
].map { .product(name: $0, package: "FilePackages") }
let database: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")

// Programs that use the libraries as your program does. `make examples` builds and runs them.
let package = Package(
  name: "Examples",
  dependencies: [
    .package(name: "FilePackages", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    // A document type of a newcomer.
    .executableTarget(
      name: "Checklist",
      dependencies: [
        .product(name: "Documents", package: "FilePackages"),
        .product(name: "PackageArchive", package: "FilePackages"),
      ],
      path: "Checklist"),
    // A subclass of UIDocument, ported.
    .executableTarget(
      name: "TravelNote", dependencies: [.product(name: "Documents", package: "FilePackages")],
      path: "TravelNote", exclude: ["TravelNote.iOS.txt"]),
    // A subclass of UIDocument as it was on iOS, in Swift 5 mode as most of them.
    .executableTarget(
      name: "Memo", dependencies: [.product(name: "AppleDocuments", package: "FilePackages")], path: "Memo",
      swiftSettings: [.swiftLanguageMode(.v5)]),
    // A ReferenceFileDocument as it is in SwiftUI.
    .executableTarget(
      name: "Palette", dependencies: [.product(name: "AppleDocuments", package: "FilePackages")],
      path: "Palette"),
    // A model of each kind, with Apple's imports, in Swift 6 mode and in Swift 5 mode.
    .executableTarget(name: "Models", dependencies: models, path: "Models", swiftSettings: appleNames),
    .executableTarget(
      name: "ModelsInSwift5", dependencies: models, path: "ModelsInSwift5",
      swiftSettings: appleNames + [.swiftLanguageMode(.v5)]),
    // A document with a database inside.
    .executableTarget(
      name: "RecipeBook",
      dependencies: [.product(name: "ManagedDocuments", package: "FilePackages"), database],
      path: "RecipeBook"),
    // The steps by which a document-based app uses iCloud.
    .executableTarget(
      name: "UbiquityGuide",
      dependencies: ["AppleCloud", "CloudContainers", "ObjectStores"].map {
        .product(name: $0, package: "FilePackages")
      },
      path: "UbiquityGuide"),
    // Models that observe each other with Combine and with OpenCombine, in a program that also uses GRDB.
    .executableTarget(
      name: "Tally",
      dependencies: models + [.product(name: "OpenCombine", package: "OpenCombine"), database], path: "Tally",
      swiftSettings: appleNames),
  ]
)
