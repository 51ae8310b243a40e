import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Versions and a power cut", .tags(.crash, .scale))
struct VersionCrashTests {
  static let saves: [[Edit]] = [
    [.put("Text.txt", "second"), .remove("Images/Deep")],
    [.move("Images/1.png", "Moved.png"), .put("Text.txt", "third")],
    [.folder("New"), .put("New/x", "x"), .remove("Data.bin"), .mode("Images", 0o700)],
    [.put("Text.txt", "fourth"), .link("Link", to: "Text.txt")],
  ]

  /// Checks every state that a power cut during `body` leaves.
  ///
  /// - Parameters:
  ///   - stride: the check opens one of so many states.
  ///   - thinned: the versions that may be missing.
  private static func check(
    _ disk: CrashDisk, limit: Int, oneOf stride: Int = 1, thinned: Set<UUID> = [],
    _ body: (inout VersionModel) async throws -> Void, _ model: VersionModel
  ) async throws -> CrashSweep {
    var model = model
    let points = try await CrashDisk.crashPoints(of: disk) { try await body(&model) }
    var sweep = CrashSweep()
    let key = { (disk: CrashDisk) in try PackagePicture(of: "/", on: disk) }
    try await sweep.check(points.reversed(), limit: limit, oneOf: stride, key: key) { mounted, _ in
      let store = try await PackageStore.open(CrashCheck.path, on: mounted, logCapacity: 24 << 10)
      var problems = try await model.problems(store, mayMiss: thinned)
      // A version that a reader sees without writing is still there after the next save, and after a second one.
      try await store.put("After.txt", "after")
      let before = try await store.versions().count
      try await store.saveAndClose(options: .keepsHistory)
      let again = try await PackageStore.open(CrashCheck.path, on: mounted)
      let versions = try await again.versions()
      if versions.count != before + 1 { problems.append("\(versions.count) versions after \(before)") }
      for version in versions {
        let (tree, lost) = try await again.contents(of: version.persistentIdentifier)
        let known = model.states.first { $0.revision == version.persistentIdentifier }
        if try lost.isEmpty && VersionPicture(tree) == known?.picture { continue }
        problems.append("after another save generation \(version.metadata.generation) is another one")
      }
      return problems.isEmpty ? nil : problems.joined(separator: "\n")
    }
    return sweep
  }

  @Test(arguments: [LogCrashTests.Kind.all, .noExchange, .noExchangeNorKeep, .noLinks, .coarseTimes])
  func `are all there, each as it was saved`(kind: LogCrashTests.Kind) async throws {
    // A version is durable when the save that replaced it is (H1).
    // A node of a version always has a durable name (P7).
    // A new log takes the place of a long one, with all versions (H3).
    let disk = try await CrashCheck.disk(VersionTests.tree, metadata: true, options: kind.options)
    disk.synchronizeAll()
    let store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: 12 << 10)
    let model = try await VersionModel(store, on: disk)
    let sweep = try await Self.check(
      disk, limit: 6, oneOf: 5,
      { model in
        for edits in Self.saves {
          try await store.save(edits, options: .keepsHistory)
          try await model.note(store, on: disk)
        }
        try await store.close()
      }, model)
    sweep.expectNoneBad(moreThan: 50)
  }

  /// Makes a package with a version for each of the saves.
  private static func saved() async throws -> (CrashDisk, PackageStore, VersionModel) {
    let (disk, store) = try await CrashCheck.store(VersionTests.tree)
    var model = try await VersionModel(store, on: disk)
    for edits in saves {
      try await store.save(edits, options: .keepsHistory)
      try await model.note(store, on: disk)
    }
    disk.synchronizeAll()
    return (disk, store, model)
  }

  @Test func `are all there after thinning, or those that stay`() async throws {
    // No state has a version without its files (V2).
    let (disk, store, model) = try await Self.saved()
    let versions = try await store.versions().map(\.persistentIdentifier)
    let sweep = try await Self.check(
      disk, limit: 24, thinned: [versions[1], versions[2]],
      { _ in try await store.removeVersions([versions[1], versions[2]]) },
      model)
    sweep.expectNoneBad()
    #expect(try await store.versions().map(\.persistentIdentifier) == [versions[0], versions[3]])
  }

  @Test func `are all there when a version is restored and that is undone`() async throws {
    let (disk, store, model) = try await Self.saved()
    let oldest = try #require(try await store.versions().last?.persistentIdentifier)
    let sweep = try await Self.check(
      disk, limit: 6,
      { model in
        _ = try await store.restore(oldest)
        try await model.note(store, on: disk)
        _ = try await store.undoSave()
        try await model.note(store, on: disk)
        try await store.close()
      }, model)
    sweep.expectNoneBad(moreThan: 50)
  }

  @Test(arguments: [LogCrashTests.Kind.all, .noExchange, .noLinks, .coarseTimes], [12 << 10, 24 << 10])
  func `are all there when each save has a store of its own, which is closed`(
    kind: LogCrashTests.Kind, capacity: Int
  ) async throws {
    // The log has what a power cut takes from the folder of kept files (H1, H2).
    let disk = try await CrashCheck.disk(VersionTests.tree, metadata: true, options: kind.options)
    disk.synchronizeAll()
    let model = try await VersionModel(PackageStore.open(CrashCheck.path, on: disk), on: disk)
    let sweep = try await Self.check(
      disk, limit: 6, oneOf: 5,
      { model in
        let more: [[Edit]] = [[.put("Text.txt", "fifth")], [.remove("New"), .put("Text.txt", "last")]]
        for edits in Self.saves + more {
          let store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: capacity)
          try await store.save(edits, options: .keepsHistory)
          try await model.note(store, on: disk)
          try await store.close()
          // Readers in between see all versions.
          let problems = try await model.problems(PackageStore.open(CrashCheck.path, on: disk))
          #expect(problems.isEmpty, "\(problems)")
        }
      }, model)
    sweep.expectNoneBad(moreThan: 50)
  }

  @Test func `are lost in some state where staged names are durable before the kept ones`() async throws {
    // The staging folder is synced only after the folder of kept files (H3). Without that a power cut loses the files of
    // versions.
    let saves: [[Edit]] = [
      [.put("Text.txt", "second")], [.put("Text.txt", "third"), .put("Data.bin", "other")],
      [.remove("Data.bin")],
    ]
    func bad(leavingOut number: Int?) async throws -> (Int, points: [CrashDisk.SyncPoint]) {
      let disk = try await CrashCheck.disk(
        VersionTests.tree, metadata: true, mistake: { $0.number == number ? .leftOut : nil })
      disk.synchronizeAll()
      let before = disk.syncPoints.count
      let model = try await VersionModel(PackageStore.open(CrashCheck.path, on: disk), on: disk)
      let sweep = try await Self.check(
        disk, limit: 24,
        { model in
          for edits in saves {
            let store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: 12 << 10)
            try await store.save(edits, options: .keepsHistory)
            try await model.note(store, on: disk)
            try await store.close()
          }
        }, model)
      return (sweep.bad.count, Array(disk.syncPoints[before...]))
    }
    let (none, points) = try await bad(leavingOut: nil)
    #expect(none == 0)
    let ours = points.filter { $0.name == "kept" }
    #expect(ours.count >= 1)
    for point in ours { #expect(try await bad(leavingOut: point.number).0 > 0, "\(point)") }
  }
}
