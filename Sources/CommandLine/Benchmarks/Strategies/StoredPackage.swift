import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// A package of this library's that stays open, as in an application.
struct StoredPackage {
  let store: PackageStore
  private let tree: FileWrapper
  private let folder: PackageFolder

  /// - Parameter isCreated: whether this library makes the package, with the digest of each child.
  static func make(
    _ model: ModelPackage, at place: SavePlace, isCreated: Bool = false
  ) async throws -> Self {
    let folder = PackageFolder(place: place)
    if isCreated { try await folder.create(model) } else { try await folder.makeStored(model) }
    let store = try await folder.openStore()
    return Self(store: store, tree: await store.tree, folder: folder)
  }

  /// Gives the changed children to the tree and saves it.
  func save(_ change: SaveChange, options: PackageStore.SavingOptions) async throws -> Saved {
    for child in change.children {
      try tree.setDescendant(FileWrapper(regularFileWithContents: child.contents), at: child.name.string)
    }
    return try await store.save(options, counting: folder.disk)
  }

  /// The report of a save, and the number of its syncs before it returned.
  struct Saved {
    var report: SaveReport
    var flushes: Int
  }

  /// Closes the package and compares every byte with the model.
  func verify(_ model: ModelPackage) async throws {
    try await store.close()
    try folder.verifyStored(model)
  }
}

extension PackageStore {
  /// Saves, and counts syncs before the deferred work can begin, because that waits for the actor.
  fileprivate func save(
    _ options: SavingOptions, counting disk: CountingDisk
  ) throws(FilePackageError) -> StoredPackage.Saved {
    let before = disk.counts.flushes
    let report = try save(options: options)
    return .init(report: report, flushes: disk.counts.flushes - before)
  }
}

extension PackageFolder {
  /// Makes the package of the model with this library.
  func makeStored(_ model: ModelPackage) async throws {
    try make(model, metadata: false)
    let store = try await openStore()
    // An application's value in the metadata makes it a package of this library's, with a digest of the contents.
    let values = try PropertyListEncoder().encode(["DisplayName": "Benchmark"])
    await store.tree.addRegularFile(
      withContents: values, preferredFilename: ModelPackage.metadataName.string)
    try await store.save()
    try await store.close()
  }

  /// Creates the package as a new document.
  func create(_ model: ModelPackage) async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for child in 0..<model.childCount {
      tree.addRegularFile(
        withContents: model.contents(of: child), preferredFilename: model.name(of: child).string)
    }
    let path = place.folder.appending(Self.name.string)
    let made = try await PackageStore.create(
      tree, path, contentType: UTType(exportedAs: "com.example.benchmark"), on: disk)
    try await made.store.close()
  }

  func openStore() async throws -> PackageStore {
    try await PackageStore.open(place.folder.appending(Self.name.string), on: disk, delays: .standard)
  }

  /// Compares every byte on disk with the model, and the metadata's digest with the bytes.
  func verifyStored(_ model: ModelPackage) throws {
    try verify(model, metadata: .others)
    let plist = try disk.contents(of: ModelPackage.metadataName, in: open())
    let metadata = try PackageMetadata(decoding: plist)
    let url = URL(filePath: place.folder.appending(Self.name.string).string)
    let summary = try ContentSummary(reading: FileWrapper(url: url).snapshot())
    guard metadata.contentDigest == summary.digest.hexadecimal else {
      throw WrongContents(description: "the digest in the metadata differs from that of the children")
    }
  }
}
