// swift-tools-version: 6.2
import PackageDescription

/// The modules that the files of the models import.
let models: [Target.Dependency] = [
  "AppKit", "Combine", "Documents", "SwiftUI", "UIKit", "UniformTypeIdentifiers",
]
.map { .product(name: $0, package: "FilePackages") }

// Programs that use the libraries as your program does. `make examples` builds and runs them.
let package = Package(
  name: "Examples",
  dependencies: [
    .package(name: "FilePackages", path: "..")
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
    .executableTarget(name: "Models", dependencies: models, path: "Models"),
    .executableTarget(
      name: "ModelsInSwift5", dependencies: models, path: "ModelsInSwift5",
      swiftSettings: [.swiftLanguageMode(.v5)]),
  ]
)
