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

// The tests' own code is built without optimisation, also if the libraries that they test are optimised: it builds sooner.
let testing = strict + [.unsafeFlags(["-Onone"])]

// Fuzzers are built by `make fuzz` alone: each has the main function of libFuzzer.
let isFuzzing = Context.environment["FUZZ"] != nil
let isWalking = Context.environment["WALK"] != nil

let system: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let database: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

let combine: Target.Dependency = .product(name: "OpenCombine", package: "OpenCombine")

// Modules for the imports of a model, and what each exports. No other package here asks `canImport` for the first ones.
let appleModules: [(name: String, dependencies: [Target.Dependency])] = [
  ("SwiftUI", ["AppleDocuments"]),
  ("UIKit", ["AppleDocuments"]),
  ("AppKit", ["AppleDocuments"]),
  ("Cocoa", ["AppKit"]),
  ("UniformTypeIdentifiers", ["AppleDocuments", "AppleFoundation"]),
]
// GRDB and OpenCombine take a module named `Combine` for Apple's. So a target has these by `-module-alias
// Combine=AppleCombine`.
let aliasedModules: [(name: String, dependencies: [Target.Dependency])] = [
  ("AppleFoundation", ["AppleDocuments"]),
  (
    "AppleCombine",
    [
      "AppleFoundation", combine, .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      .product(name: "OpenCombineFoundation", package: "OpenCombine"),
    ]
  ),
  ("AppleOSLog", []),
  ("Appleos", ["AppleOSLog", "CAppleos"]),
]

let package = Package(
  name: "FilePackages",
  products: [
    .library(name: "FilePackages", targets: ["FilePackages"]),
    .library(name: "Documents", targets: ["Documents"]),
    .library(name: "ImageNotes", targets: ["ImageNotes"]),
    .library(name: "PackageArchive", targets: ["PackageArchive"]),
    .library(name: "AppleDocuments", targets: ["AppleDocuments"]),
    .library(name: "AppleCloud", targets: ["AppleCloud"]),
    .library(name: "AppleNames", targets: aliasedModules.map(\.name)),
    .library(name: "ManagedDocuments", targets: ["ManagedDocuments"]),
    .library(name: "ObjectStores", targets: ["ObjectStores"]),
    .library(name: "CloudContainers", targets: ["CloudContainers"]),
    .executable(name: "docpkg", targets: ["docpkg"]),
    .executable(name: "docpkg-full", targets: ["docpkg-full"]),
  ] + appleModules.map { .library(name: $0.name, targets: [$0.name]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
  ],
  targets: [
    // System calls that Swift's Glibc module hides.
    .target(name: "CLinux", path: "Sources/Engine/CLinux"),

    // Files and directories that survive a power cut.
    .target(
      name: "DurableIO", dependencies: ["CLinux", system], path: "Sources/Engine/DurableIO",
      swiftSettings: strict),

    // SHA-256 of libcrypto, as the system has it. Linked statically: see its module map, and Docs/Benchmarks.md.
    .systemLibrary(name: "CCrypto", path: "Sources/Engine/CCrypto", providers: [.apt(["libssl-dev"])]),

    // The types of files, packages and data.
    .target(name: "UniformTypes", path: "Sources/Engine/UniformTypes", swiftSettings: strict),

    // The values of a package and their bytes; names, paths and errors.
    .target(
      name: "PackageFormat", dependencies: ["CCrypto", "DurableIO", "UniformTypes", system],
      path: "Sources/Engine/PackageFormat", swiftSettings: strict),

    // Trees of file wrappers.
    .target(
      name: "FileTrees", dependencies: ["DurableIO", "PackageFormat", system],
      path: "Sources/Engine/FileTrees", swiftSettings: strict),

    // Saving a tree over a package on disk.
    .target(
      name: "PackageSaving",
      dependencies: ["DurableIO", "FileTrees", "PackageFormat", system],
      path: "Sources/Engine/PackageSaving", swiftSettings: strict),

    // Changes of packages by other programs.
    .target(
      name: "PackageWatching", dependencies: ["DurableIO", "FileTrees", "PackageFormat", system],
      path: "Sources/Engine/PackageWatching", swiftSettings: strict),

    // Directories that are one document: the stores, and all that they need.
    .target(
      name: "FilePackages",
      dependencies: [
        "DurableIO", "FileTrees", "PackageFormat", "PackageSaving", "PackageWatching", system,
      ],
      path: "Sources/Engine/FilePackages", swiftSettings: strict),

    // The content of a document, and the life of an open document.
    .target(
      name: "Documents", dependencies: ["DurableIO", "FilePackages", system],
      path: "Sources/DocumentTypes/Documents", swiftSettings: strict),

    // The text-plus-image document type.
    .target(
      name: "ImageNotes", dependencies: ["Documents", "FilePackages"],
      path: "Sources/DocumentTypes/ImageNotes", swiftSettings: strict),

    // Apple's names, for models that were written for Apple's systems.
    .target(
      name: "AppleDocuments", dependencies: ["Documents", "DurableIO", "FilePackages", combine, system],
      path: "Sources/AppleNames/AppleDocuments", swiftSettings: strict),

    // The submodules of Appleos, which Swift cannot declare.
    .target(name: "CAppleos", path: "Sources/AppleNames/CAppleos"),

    // SQLite as the system has it, with the changes that its sessions record.
    .systemLibrary(
      name: "CSQLiteSession", path: "Sources/DocumentTypes/CSQLiteSession",
      providers: [.apt(["libsqlite3-dev"])]),

    // Documents with a database inside.
    .target(
      name: "ManagedDocuments",
      dependencies: ["CSQLiteSession", "Documents", "DurableIO", "FilePackages", database, system],
      path: "Sources/DocumentTypes/ManagedDocuments", swiftSettings: strict),

    // libarchive, as the system has it. No program loads it when it starts.
    .target(name: "CArchive", path: "Sources/Archives/CArchive"),

    // libdeflate, liblzma, libzstd and zlib, as the system has them.
    .systemLibrary(
      name: "CDeflate", path: "Sources/Archives/CDeflate", pkgConfig: "libdeflate",
      providers: [.apt(["libdeflate-dev"])]),
    .systemLibrary(
      name: "CZlib", path: "Sources/Archives/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(
      name: "CLZMA", path: "Sources/Archives/CLZMA", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"])]),
    .systemLibrary(
      name: "CZstandard", path: "Sources/Archives/CZstandard", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"])]),

    // One file from a package, and back.
    .target(
      name: "PackageArchive",
      dependencies: [
        "CArchive", "CDeflate", "CLZMA", "CZlib", "CZstandard", "DurableIO", "FilePackages", system,
      ],
      path: "Sources/Archives/PackageArchive", swiftSettings: strict),

    // HTTP, by libcurl as the system has it.
    .systemLibrary(
      name: "CCurl", path: "Sources/Cloud/CCurl", pkgConfig: "libcurl",
      providers: [.apt(["libcurl4-openssl-dev"])]),

    // Objects under keys: a folder, memory, an S3 service.
    .target(
      name: "ObjectStores", dependencies: ["CCurl", "CLinux", "DurableIO", "FilePackages", system],
      path: "Sources/Cloud/ObjectStores", swiftSettings: strict),

    // Ciphers of libcrypto, as the system has it. No program loads it when it starts.
    .target(name: "CCipher", path: "Sources/Cloud/CCipher"),

    // Documents in an object store, on all machines of a user.
    .target(
      name: "CloudContainers",
      dependencies: [
        "CCipher", "Documents", "DurableIO", "FilePackages", "ManagedDocuments", "ObjectStores",
        "PackageArchive", database, system,
      ],
      path: "Sources/Cloud/CloudContainers", swiftSettings: strict),

    // The cloud by Apple's names, over containers that a program registers.
    .target(
      name: "AppleCloud",
      dependencies: [
        "AppleDocuments", "CloudContainers", "Documents", "DurableIO", "FilePackages", "ObjectStores", system,
      ],
      path: "Sources/AppleNames/AppleCloud", swiftSettings: strict),

    // Measurements: what saving costs, beside other ways of doing it.
    .target(
      name: "Benchmarks",
      dependencies: ["CSQLiteSession", "DurableIO", "FilePackages", system],
      path: "Sources/CommandLine/Benchmarks", swiftSettings: strict),

    // The programs of the command line share this: arguments, output, errors and signals.
    .target(
      name: "CommandSupport",
      dependencies: ["Documents", "DurableIO", "FilePackages", "PackageArchive", arguments, system],
      path: "Sources/CommandLine/CommandSupport", swiftSettings: strict),

    // The commands on documents.
    .target(
      name: "DocumentCommands",
      dependencies: [
        "CommandSupport", "Documents", "DurableIO", "FilePackages", "ImageNotes", "PackageArchive", arguments,
        system,
      ],
      path: "Sources/CommandLine/DocumentCommands", swiftSettings: strict),

    // `docpkg cloud`.
    .target(
      name: "CloudCommands",
      dependencies: [
        "CloudContainers", "CommandSupport", "Documents", "DurableIO", "FilePackages", "ImageNotes",
        "ObjectStores", arguments, system,
      ],
      path: "Sources/CommandLine/CloudCommands", swiftSettings: strict),

    // `docpkg bench`.
    .target(
      name: "BenchCommands",
      dependencies: ["Benchmarks", "CommandSupport", "FilePackages", arguments, system],
      path: "Sources/CommandLine/BenchCommands", swiftSettings: strict),

    // The command line: the main program, which starts fast, and the one with all commands.
    .executableTarget(
      name: "docpkg", dependencies: ["CommandSupport", "DocumentCommands"],
      path: "Sources/CommandLine/Programs/docpkg", swiftSettings: strict),
    .executableTarget(
      name: "docpkg-full",
      dependencies: [
        "BenchCommands", "CloudCommands", "CommandSupport", "DocumentCommands", "Documents", "FilePackages",
        "ManagedDocuments", arguments,
      ],
      path: "Sources/CommandLine/Programs/docpkg-full", swiftSettings: strict),

    // Trees as literals, disks that crash or fail, and programs that tests run.
    .target(
      name: "TestSupport", dependencies: ["CLinux", "DurableIO", system], path: "Tests/TestSupport",
      swiftSettings: strict),

    // Saves that tests kill, fail and run beside each other.
    .executableTarget(
      name: "saver", dependencies: ["FilePackages", system], path: "Tests/Saver", swiftSettings: strict),

    // Reads, writes and presents beside other processes of its kind.
    .executableTarget(
      name: "coordinator", dependencies: ["Documents"], path: "Tests/Coordinator", swiftSettings: strict),

    // Edits and saves a document with a database while tests break it.
    .executableTarget(
      name: "bookkeeper", dependencies: ["FilePackages", "ManagedDocuments", database],
      path: "Tests/Bookkeeper",
      swiftSettings: strict),

    // Runs a program and breaks one of its system calls.
    .executableTarget(name: "breaker", path: "Tests/Breaker"),

    .testTarget(
      name: "DurableIOTests", dependencies: ["CLinux", "DurableIO", "TestSupport", system],
      swiftSettings: testing),
    .testTarget(
      name: "UniformTypesTests", dependencies: ["TestSupport", "UniformTypes", system], swiftSettings: testing
    ),
    .testTarget(
      name: "FilePackagesTests", dependencies: ["FilePackages", "DurableIO", "TestSupport", system],
      swiftSettings: testing),
    .testTarget(
      name: "DocumentsTests",
      dependencies: [
        "Documents", "DurableIO", "FilePackages", "ImageNotes", "PackageArchive", "TestSupport", system,
      ],
      swiftSettings: testing),
    // Models that were not written for Swift 6.
    .testTarget(
      name: "Swift5ModelTests", dependencies: ["AppleDocuments", "Documents", "TestSupport", system],
      swiftSettings: strictWarnings + [.swiftLanguageMode(.v5)]),
    .testTarget(
      name: "FileCoordinationTests",
      dependencies: [
        "CLinux", "coordinator", "docpkg", "docpkg-full", "Documents", "DurableIO", "FilePackages",
        "ImageNotes",
        "TestSupport", system,
      ],
      swiftSettings: testing),
    .testTarget(
      name: "ManagedDocumentsTests",
      dependencies: [
        "bookkeeper", "breaker", "CSQLiteSession", "ManagedDocuments", "Documents", "DurableIO",
        "FilePackages", "TestSupport",
        database,
        system,
      ],
      swiftSettings: testing),
    .testTarget(
      name: "ImageNotesTests",
      dependencies: ["ImageNotes", "Documents", "FilePackages", "TestSupport", system],
      swiftSettings: testing),
    .testTarget(
      name: "AppleDocumentsTests",
      dependencies: [
        "AppleDocuments", "Documents", "FilePackages", "PackageArchive", "TestSupport", system,
      ],
      swiftSettings: testing),
    .testTarget(name: "AppleOSLogTests", dependencies: ["AppleOSLog"], swiftSettings: testing),
    .testTarget(
      name: "PackageArchiveTests",
      dependencies: ["PackageArchive", "FilePackages", "DurableIO", "TestSupport", "CZlib", system],
      swiftSettings: testing),
    // An S3 service for tests.
    .target(
      name: "StoreTestSupport", dependencies: ["DurableIO", "FilePackages", "ObjectStores", "TestSupport"],
      path: "Tests/StoreTestSupport",
      swiftSettings: strict),
    .testTarget(
      name: "ObjectStoresTests",
      dependencies: ["DurableIO", "FilePackages", "ObjectStores", "StoreTestSupport", "TestSupport", system],
      swiftSettings: testing),
    .testTarget(
      name: "CloudContainersTests",
      dependencies: [
        "CloudContainers", "Documents", "DurableIO", "FilePackages", "ImageNotes", "ManagedDocuments",
        "ObjectStores", "StoreTestSupport", "TestSupport", database, system,
      ],
      swiftSettings: testing),
    .testTarget(
      name: "AppleCloudTests",
      dependencies: [
        "AppleCloud", "AppleDocuments", "CloudContainers", "Documents", "DurableIO", "FilePackages",
        "ObjectStores", "StoreTestSupport", "TestSupport", system,
      ],
      swiftSettings: testing),
    .testTarget(
      name: "BenchmarksTests",
      dependencies: ["Benchmarks", "DurableIO", "TestSupport", system], swiftSettings: testing),
    .testTarget(
      name: "docpkgTests",
      dependencies: [
        "bookkeeper", "docpkg", "docpkg-full", "Documents", "DurableIO", "FilePackages", "ImageNotes",
        "ObjectStores", "StoreTestSupport", "TestSupport", system,
      ],
      swiftSettings: testing),
    .testTarget(
      name: "CrashTests",
      dependencies: [
        "bookkeeper", "breaker", "docpkg", "docpkg-full", "DurableIO", "FilePackages",
        "saver",
        "TestSupport", system,
      ],
      swiftSettings: testing),
  ]
    + (appleModules + aliasedModules).map {
      .target(
        name: $0.name, dependencies: $0.dependencies, path: "Sources/AppleNames/\($0.name)",
        swiftSettings: strict)
    }
    + (isFuzzing
    ? [
      "Archive", "Image", "Interchange", "Log", "Listing", "Notes", "Metadata", "Names",
      "Secret", "Tree", "Types", "Version",
    ] : [])
    .map {
      name in
      // Parsers of bytes from unknown programs.
      .executableTarget(
        name: "Fuzz\(name)",
        dependencies: [
          "CloudContainers", "DurableIO", "FilePackages", "ImageNotes", "ObjectStores",
          "PackageArchive", "StoreTestSupport", "TestSupport", "UniformTypes", system,
        ],
        path: "Tests/Fuzz/\(name)", swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])])
    }
    // Edits and saves one document while counters note which functions run. Only a build with counters links it.
    + (isWalking
      ? [
        .executableTarget(
          name: "walker", dependencies: ["Documents", "DurableIO", "FilePackages", "ImageNotes"],
          path: "Tests/Walker", swiftSettings: strict + [.enableExperimentalFeature("Extern")])
      ] : [])
)
