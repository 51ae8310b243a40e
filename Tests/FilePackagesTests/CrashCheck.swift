import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// Makes staged saves on a disk that crashes, and looks at every state that a power cut may leave of the document.
/// The manifest is not synchronised by such a save, so that the hidden folder is not compared.
struct CrashCheck {
  var states = 0
  /// Enough for showing that the check can fail.
  var stopsAtFirst = false
  /// For a package that gets a hidden folder only while it is saved, which moves the date of its own directory.
  var ignoresOwnDate = false
  /// What was neither the old package nor the new one, in words.
  var bad: [String] = []
  var syncPoints: [CrashDisk.SyncPoint] = []
  /// States that were looked at are not looked at again.
  private var seen: Set<Seen> = []

  private struct Seen: Hashable {
    let disk: PackagePicture
    let isNewOnly: Bool
    let number: Int
  }

  static let path: FilePath = "/Trip.pkg"

  /// A disk with a package, opened and saved once where it is to have metadata.
  static func disk(
    _ tree: TestTree, metadata: Bool, options: CrashDisk.Options = .init(),
    mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
  ) async throws -> CrashDisk {
    let disk = try CrashDisk(metadata ? [:] : .package(tree), options: options, mistake: mistake)
    if metadata {
      _ = try await PackageStore.create(tree.wrapper, path, contentType: "com.example.trip", on: disk)
      disk.synchronizeAll()
    }
    return disk
  }

  /// Runs something that brings the package from one state to another, and checks all that is between.
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
    // The last ones first: what was not synchronised is worst after a save has returned.
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
      try await store.put("After.txt", "after the crash")
      try await store.save(options: .staged)
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
