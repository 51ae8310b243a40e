import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// A check of staged saves on a disk that crashes, in every state of the document that a power cut may leave.
///
/// The check ignores the hidden folder.
struct CrashCheck {
  var states = 0
  /// Whether to stop at the first problem, which is enough to show that the check can fail.
  var stopsAtFirst = false
  /// Whether to ignore the date of the package's own directory: a hidden folder that exists only during a save moves
  /// it.
  var ignoresOwnDate = false
  /// Descriptions of the states that were neither the old package nor the new one.
  var bad: [String] = []
  var syncPoints: [CrashDisk.SyncPoint] = []
  /// The states that were checked, which the check skips.
  private var seen: Set<Seen> = []

  private struct Seen: Hashable {
    let disk: PackagePicture
    let isNewOnly: Bool
    let number: Int
  }

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
    let store = try await PackageStore.open(path, on: disk)
    try await store.save(child, text, options: options)
    try await store.close()
  }

  /// Runs `body`, which brings the package from one state to another, and checks all states in between.
  mutating func check(
    _ disk: CrashDisk, limit: Int = 128, savesAgain: Bool = true, _ body: () async throws -> Void
  ) async throws {
    let old = try? picture(disk)
    let before = disk.syncPoints.count
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await body()
      disk.promise("saved")
    }
    syncPoints = Array(disk.syncPoints[before...])
    let new = try picture(disk)
    // The last points come first: a missing sync shows most after a save has returned.
    for point in points.reversed() {
      for state in point.states(limit: limit) {
        if stopsAtFirst && !bad.isEmpty { return }
        try await check(state, of: point, old, new, savesAgain: savesAgain)
      }
    }
    seen = []
  }

  private func picture(_ disk: CrashDisk) throws -> PackagePicture {
    let picture = try PackagePicture(of: Self.path, on: disk).natural
    return ignoresOwnDate ? picture.undated(".") : picture
  }

  private mutating func check(
    _ state: CrashState, of point: CrashPoint, _ old: PackagePicture?, _ new: PackagePicture,
    savesAgain: Bool
  ) async throws {
    states += 1
    let mounted = state.mount()
    let isNewOnly = !point.promises.isEmpty
    let seen = Seen(disk: try PackagePicture(of: "/", on: mounted), isNewOnly: isNewOnly, number: 0)
    guard self.seen.insert(seen).inserted else { return }
    func report(_ words: String) { bad.append("\(point): \(words)\n\(state)") }
    do {
      let store = try await PackageStore.open(Self.path, on: mounted)
      let found = try picture(mounted)
      guard found == new || (!isNewOnly && found == old) else {
        return report("neither old nor new\n\(new.differences(in: found))")
      }
      guard savesAgain else { return }
      try await store.save("After.txt", "after the crash")
      // The next program that makes a document in the folder removes a leftover beside this one.
      try NewPlace(at: Self.path, on: mounted)?.cleanUpAll()
      var next = try picture(mounted)
      guard next.entries.removeValue(forKey: "After.txt")?.bytes == Array("after the crash".utf8) else {
        return report("what was saved after the crash is not there")
      }
      let names = found.changedNames(in: next).subtracting([".", "Metadata.plist"])
      if !names.isEmpty { report("saving after the crash changed \(names)") }
      let beside = try mounted.names(in: "/")
      if beside != ["Trip.pkg"] { report("left beside the package: \(beside)") }
    } catch let error as FilePackageError {
      if !isNewOnly && old == nil && error.code == .noSuchFile { return }
      report("\(error)")
    }
  }
}
