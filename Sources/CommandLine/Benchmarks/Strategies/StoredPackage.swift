import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// This library's save in place, measured until it is durable. The time to publish it does not count.
final class JournalStrategy: StoredPackage {
  override class var name: String { "journal" }
  override class var options: PackageStore.SavingOptions { .returnsAtCommit }
}

/// This library's save in place, measured until it is published.
final class PublishedStrategy: StoredPackage {
  override class var name: String { "published" }
}

/// A package of this library's that stays open, as in an application.
class StoredPackage: SaveStrategy {
  class var name: String { "" }
  class var options: PackageStore.SavingOptions { [] }

  private let store: PackageStore
  private let tree: FileWrapper
  private let folder: PackageFolder
  private(set) var flushes: Int?

  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy {
    let folder = PackageFolder(place: place)
    try folder.make(model, metadata: false)
    let store = try await folder.openStore()
    // An application's value in the metadata makes it a package of this library's, with a digest of the contents.
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    let values = try encoder.encode(["DisplayName": "Benchmark"])
    await store.tree.addRegularFile(
      withContents: values, preferredFilename: ModelPackage.metadataName.string)
    try await store.save()
    try await store.close()
    return try await Self(folder)
  }

  required init(_ folder: PackageFolder) async throws {
    self.folder = folder
    store = try await folder.openStore()
    tree = await store.tree
  }

  func save(_ change: SaveChange) async throws {
    for child in change.children {
      try tree.setDescendant(FileWrapper(regularFileWithContents: child.contents), at: child.name.string)
    }
    let options = Self.options
    let saved = try await store.save(options, counting: folder.disk)
    flushes = saved.flushes
    guard options.contains(.returnsAtCommit) || saved.report.isPublished else {
      throw BenchmarkError("it could not be published: \(saved.report.warnings.first?.reason ?? "")")
    }
  }

  /// Waits for the rest of the publishing, which a save does not wait for.
  func finish() async throws {
    try await store.publish()
  }

  /// Closes the package, and compares every byte on disk with the model, and the metadata's digest with the bytes.
  func verify(_ model: ModelPackage) async throws {
    try await store.close()
    try folder.verify(model, metadata: .others)
    let plist = try folder.disk.contents(of: ModelPackage.metadataName, in: folder.open())
    let summary = try ContentSummary(reading: FileWrapper(url: URL(filePath: folder.path.string)).snapshot())
    guard try PackageMetadata(decoding: plist).contentDigest == summary.digest.hexadecimal else {
      throw BenchmarkError("the digest in the metadata differs from that of the children")
    }
  }
}

extension PackageStore {
  /// Saves, and counts syncs before the deferred work can begin, because that waits for the actor.
  fileprivate func save(
    _ options: SavingOptions, counting disk: CountingDisk
  ) throws(FilePackageError) -> (report: SaveReport, flushes: Int) {
    let before = disk.counts.synchronizations
    let report = try save(options: options)
    return (report, disk.counts.synchronizations - before)
  }
}

extension PackageFolder {
  fileprivate var path: FilePath { place.folder.appending(Self.name.string) }

  fileprivate func openStore() async throws -> PackageStore {
    try await PackageStore.open(path, on: disk, delays: .standard)
  }
}
