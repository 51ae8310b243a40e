import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// A check of staged saves on a disk that crashes, in every state of the document that a power cut may leave.
///
/// The check ignores the hidden folder.
struct CrashCheck {
  /// Whether to stop at the first problem, which is enough to show that the check can fail.
  var stopsAtFirst = false
  /// The states, and those that were neither the old package nor the new one.
  private(set) var sweep = CrashSweep()
  private(set) var syncPoints: [CrashDisk.SyncPoint] = []

  static let path: FilePath = "/Trip.pkg"

  /// Makes a disk with a package; with metadata, it opens and saves the package once.
  static func disk(
    _ tree: TestTree, metadata: Bool, options: CrashDisk.Options = .init(),
    mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
  ) async throws -> CrashDisk {
    let disk = try CrashDisk(metadata ? [:] : .package(tree), options: options, mistake: mistake)
    if metadata {
      try await tree.create(on: disk)
      disk.synchronizeAll()
    }
    return disk
  }

  /// Makes a disk as `disk` does, and opens the package on it.
  static func store(
    _ tree: TestTree, metadata: Bool = true, options: CrashDisk.Options = .init()
  ) async throws -> (CrashDisk, PackageStore) {
    let disk = try await disk(tree, metadata: metadata, options: options)
    return (disk, try await PackageStore.open(path, on: disk))
  }

  /// Changes a child by a store of its own, which is closed.
  static func save(
    _ child: String, _ text: String, options: PackageStore.SavingOptions = [], to path: FilePath = path,
    on disk: any Disk
  ) async throws {
    try await PackageStore.open(path, on: disk).saveAndClose(child, text, options: options)
  }

  /// Runs `body`, which brings the package from one state to another, and checks all states in between.
  mutating func check(
    _ disk: CrashDisk, limit: Int = 128, savesAgain: Bool = true, _ body: () async throws -> Void
  ) async throws {
    let old = try? Self.picture(disk)
    let before = disk.syncPoints.count
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await body()
      disk.promise("saved")
    }
    syncPoints = Array(disk.syncPoints[before...])
    let new = try Self.picture(disk)
    // The last points come first: a missing sync shows most after a save has returned.
    let key = { (disk: CrashDisk) in try PackagePicture(of: "/", on: disk) }
    try await sweep.check(points.reversed(), limit: limit, most: stopsAtFirst ? 0 : 2, key: key) {
      disk, point in
      try await Self.problem(disk, point, old, new, savesAgain: savesAgain)
    }
  }

  private static func picture(_ disk: CrashDisk) throws -> PackagePicture {
    try PackagePicture(of: path, on: disk).natural
  }

  private static func problem(
    _ mounted: CrashDisk, _ point: CrashPoint, _ old: PackagePicture?, _ new: PackagePicture, savesAgain: Bool
  ) async throws -> String? {
    let isNewOnly = !point.promises.isEmpty
    do {
      let store = try await PackageStore.open(path, on: mounted)
      let found = try picture(mounted)
      guard found == new || (!isNewOnly && found == old) else {
        return "neither old nor new\n\(new.differences(in: found))"
      }
      guard savesAgain else { return nil }
      try await store.save("After.txt", "after the crash")
      // The next program that makes a document in the folder removes a leftover beside this one.
      try NewPlace(at: path, on: mounted)?.cleanUpAll()
      var next = try picture(mounted)
      guard next.entries.removeValue(forKey: "After.txt")?.bytes == Array("after the crash".utf8) else {
        return "what was saved after the crash is not there"
      }
      let names = found.changedNames(in: next).subtracting([".", "Metadata.plist"])
      if !names.isEmpty { return "saving after the crash changed \(names)" }
      let beside = try mounted.names(in: "/")
      return beside == ["Trip.pkg"] ? nil : "left beside the package: \(beside)"
    } catch let error as FilePackageError
      where !isNewOnly && old == nil && error.code == .noSuchFile
    {
      return nil
    }
  }
}
