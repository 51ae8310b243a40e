import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A save in place that is cut short", .tags(.crash, .scale))
struct LogCrashTests {
  static let saves = StagedCrashTests.saves

  enum Kind: String, CaseIterable {
    case all, noExchange, noExchangeNorKeep, noLinks, noneOfThem, coarseTimes
    var options: CrashDisk.Options {
      var options = CrashDisk.Options()
      if [.noExchange, .noExchangeNorKeep, .noneOfThem].contains(self) { options.supportsExchange = false }
      if [.noExchangeNorKeep, .noneOfThem].contains(self) { options.supportsNoReplace = false }
      if [.noLinks, .noneOfThem].contains(self) { options.supportsLinks = false }
      if self == .coarseTimes { options.timeGranularity = 4_000_000 }
      return options
    }
  }

  /// The moment at which a save is published.
  enum Publishing: CaseIterable {
    case atOnce, later
    /// Not before the next save.
    case byTheNext

    var options: PackageStore.SavingOptions {
      switch self {
      case .atOnce: []
      case .later, .byTheNext: .returnsAtCommit
      }
    }
  }

  static func check(
    _ saves: [[Edit]], metadata: Bool, options: CrashDisk.Options = .init(),
    publishing: Publishing = .atOnce,
    mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }, limit: Int,
    stopsAtFirst: Bool = false, closes: Bool = true, together: Bool = false,
    sessionCapacity: Int? = nil
  ) async throws -> LogCrashCheck {
    var check = LogCrashCheck()
    check.stopsAtFirst = stopsAtFirst
    check.modelsAreOthers = publishing == .byTheNext
    let others =
      publishing == .byTheNext ? try await pictures(of: saves, metadata: metadata, options: options) : []
    let disk = try await CrashCheck.disk(
      StagedCrashTests.tree, metadata: metadata, options: options, mistake: mistake)
    disk.synchronizeAll()
    let capacity = sessionCapacity ?? 24 << 10
    var store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: capacity)
    // Each save has a check of its own over all earlier saves, or one check covers all saves.
    let groups = together ? [saves] : saves.map { [$0] }
    for (index, group) in groups.enumerated() {
      // The state after a save is known only after it. So the test first collects the states, and compares them
      // afterwards.
      var models = [try NaturalPicture(of: CrashCheck.path, on: disk)]
      let isLast = index == groups.count - 1
      var points: [CrashPoint] = []
      let before = disk.syncPoints.count
      points = try await CrashDisk.crashPoints(of: disk) {
        for edits in group {
          try await store.save(edits, options: publishing.options)
          disk.promise("saved")
          if publishing == .byTheNext { continue }
          try await store.publish()
          models.append(try NaturalPicture(of: CrashCheck.path, on: disk))
          guard sessionCapacity != nil else { continue }
          try await store.close()
          store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: capacity)
        }
        if isLast && closes { try await store.close() }
      }
      if check.modelsAreOthers { models = others }
      check.syncPoints += disk.syncPoints[before...]
      for point in points.reversed() {
        for state in point.states(limit: limit) {
          if stopsAtFirst && !check.bad.isEmpty { return check }
          try await check.check(state.mount(), models, promised: point.promises.count) {
            "\(point), after \(point.promises.count)\n\(state)"
          }
        }
      }
    }
    return check
  }

  /// Returns the states that the saves make; the first one is the state before them.
  private static func pictures(
    of saves: [[Edit]], metadata: Bool, options: CrashDisk.Options
  ) async throws -> [NaturalPicture] {
    let disk = try await CrashCheck.disk(StagedCrashTests.tree, metadata: metadata, options: options)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    var pictures = [try NaturalPicture(of: CrashCheck.path, on: disk).withoutChance]
    for edits in saves {
      try await store.save(edits)
      pictures.append(try NaturalPicture(of: CrashCheck.path, on: disk).withoutChance)
    }
    return pictures
  }

  @Test(arguments: Kind.allCases, [true, false])
  func `leaves the old package or the new one`(kind: Kind, metadata: Bool) async throws {
    // Before recovery, each name leads to the old file or the new one, whole (P1).
    // Nothing under a visible name changes before the record is committed (JS1).
    let check = try await Self.check(
      Self.saves, metadata: metadata, options: kind.options, limit: kind == .all ? 40 : 8)
    #expect(check.bad.isEmpty, "\(check.bad.prefix(3).joined(separator: "\n\n"))")
  }

  @Test(arguments: Publishing.allCases)
  func `leaves one of the states when saves follow each other and the store is closed`(
    publishing: Publishing
  ) async throws {
    // A power cut may leave older marks in the log (J3), or none of the last record's, which is done again (S4).
    let saves: [[Edit]] = [
      [.put("Text.txt", "first")], [.put("Text.txt", "second"), .put("Data.bin", "second")],
      [.remove("Notes.txt"), .put("Text.txt", "third")],
      [.put("Notes.txt", "notes again"), .remove("Data.bin")],
      [.move("Text.txt", "Moved.txt")],
    ]
    let check = try await Self.check(saves, metadata: true, publishing: publishing, limit: 12, together: true)
    #expect(check.states > 100)
    #expect(check.bad.isEmpty, "\(check.bad.prefix(3).joined(separator: "\n\n"))")
  }

  @Test(arguments: [12 << 10, 24 << 10])
  func `leaves one of the states when each save has a store of its own, which is closed`(
    capacity: Int
  ) async throws {
    // The log stays, and a new one takes its place in the middle.
    let saves: [[Edit]] = [
      [.put("Text.txt", "first")], [.put("Text.txt", "second"), .remove("Images/Deep")],
      [.folder("New"), .put("New/x.txt", "x"), .remove("Notes.txt")],
      [.put("Notes.txt", "notes again"), .move("Text.txt", "Moved.txt")],
      [.put("New/x.txt", "y"), .mode("Data.bin", 0o755)], [.put("Text.txt", "last")],
    ]
    let check = try await Self.check(
      saves, metadata: true, limit: 8, together: true, sessionCapacity: capacity)
    #expect(check.states > 300)
    #expect(check.bad.isEmpty, "\(check.bad.prefix(3).joined(separator: "\n\n"))")
  }

  @Test(arguments: [Kind.all, .noneOfThem], [true, false])
  func `leaves the old package or the new one when folders and files change places`(
    kind: Kind, metadata: Bool
  ) async throws {
    let saves: [[Edit]] = [
      [
        .move("Notes.txt", "Kept.txt"), .folder("Notes.txt"), .put("Notes.txt/x", "x"),
        .folder("Notes.txt/In"),
        .move("Images/1.png", "Notes.txt/In/1.png"), .remove("Images/Deep"), .put("Images/Deep", "a file"),
      ],
      [
        .move("Notes.txt/In/1.png", "1.png"), .remove("Notes.txt"), .move("Kept.txt", "Notes.txt"),
        .remove("Images/Deep"), .folder("Images/Deep"), .mode("Images/Deep", 0o750),
      ],
    ]
    let check = try await Self.check(saves, metadata: metadata, options: kind.options, limit: 16)
    #expect(check.states > 100)
    #expect(check.bad.isEmpty, "\(check.bad.prefix(3).joined(separator: "\n\n"))")
  }

  @Test(arguments: 1...8)
  func `leaves the old package or the new one, whatever is in the save`(count: Int) async throws {
    var bad: [String] = []
    for seed in 0..<3 {
      var generator = SeededGenerator(seed: UInt64(count * 100 + seed))
      let check = try await Self.check(
        [Edit.random(count, using: &generator)], metadata: seed % 2 == 0, limit: 6)
      bad += check.bad
    }
    #expect(bad.isEmpty, "\(bad.prefix(3).joined(separator: "\n\n"))")
  }

  /// The program was killed before it synced the folder's name; the next one finds the folder as it left it.
  @Test(arguments: [0, 1, 2])
  func `leaves an acknowledged save also in a hidden folder that a killed program has just made`(
    made: Int
  ) async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "old"], metadata: false)
    disk.synchronizeAll()
    let package = try disk.openDirectory(at: CrashCheck.path)
    try disk.makeDirectory(".docpkg", in: package, mode: 0o777)
    let hidden = try disk.openDirectory(".docpkg", in: package)
    if made > 0 { _ = try disk.createFile("lock", in: hidden, mode: 0o666) }
    if made > 1 { try disk.makeDirectory("tmp", in: hidden, mode: 0o777) }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.put("Text.txt", "new")
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await store.save(options: .returnsAtCommit)
      disk.promise("saved")
    }
    for state in try #require(points.last).states(limit: 64) {
      let next = try await PackageStore.open(CrashCheck.path, on: state.mount())
      #expect(try await next.tree.regularFile(at: "Text.txt").text == "new", "\(state)")
    }
  }

  @Test func `needs every one of its synchronisations`() async throws {
    // A new log is synced before it gets its name (J1).
    // Files that the record does not hold are synced before it is written (JS3).
    // The log has the content until all touched folders are synced (P4).
    let saves: [[Edit]] = [
      [.put("Text.txt", "new text"), .put("Images/Deep/a.txt", "new a"), .remove("Notes.txt")],
      [
        .folder("New"), .put("New/x.txt", "x"), .move("Images/2.png", "Moved.png"),
        .put("Text.txt", "newer text"),
      ],
    ]
    func check(_ mistake: CrashDisk.Mistake? = nil, with number: Int? = nil) async throws
      -> LogCrashCheck
    {
      try await Self.check(
        saves, metadata: true, mistake: { $0.number == number ? mistake : nil }, limit: 24,
        stopsAtFirst: true,
        together: true)
    }
    let points = try await check().syncPoints
    var needless: [CrashDisk.SyncPoint] = []
    for point in points where try await check(.late, with: point.number).bad.isEmpty {
      if try await check(.leftOut, with: point.number).bad.isEmpty { needless.append(point) }
    }
    // A power cut alone cannot show the need for the last sync. It is of the marks of the log that stays:
    // `KeptLogTests` shows the need for it.
    #expect(needless.allSatisfy { $0.name == "log" && $0 == points.last }, "\(needless)")
  }

  @Test(arguments: [Kind.all, .noneOfThem])
  func `is recovered whole when the recovery is cut short, too`(kind: Kind) async throws {
    // The second recovery finds steps that the first one has taken (P3).
    // The first recovery syncs the record that a killed program left before it changes a name (S3).
    let disk = try await CrashCheck.disk(StagedCrashTests.tree, metadata: true, options: kind.options)
    let store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: 24 << 10)
    var models = [try NaturalPicture(of: CrashCheck.path, on: disk)]
    try await store.edit([
      .put("Text.txt", "new text"), .folder("New"), .put("New/x.txt", "x"), .remove("Images/Deep"),
      .move("Images/1.png", "Moved.png"), .put("Notes.txt", "other notes"), .mode("Data.bin", 0o755),
    ])
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await store.save()
      disk.promise("saved")
    }
    models.append(try NaturalPicture(of: CrashCheck.path, on: disk))
    var check = LogCrashCheck()
    check.checksNaive = false
    var (seen, recoveries): (Set<PackagePicture>, Int) = ([], 0)
    for point in points {
      let promised = point.promises.count
      // The program is killed with the power on, and without it.
      for first in [point.afterKill()] + point.states(limit: 4).map({ $0.mount() }) {
        guard seen.insert(try PackagePicture(of: "/", on: first)).inserted else { continue }
        recoveries += 1
        let again = try await CrashDisk.crashPoints(of: first) {
          _ = try await PackageStore.open(CrashCheck.path, on: first)
        }
        for point in again {
          for state in point.states(limit: 3) {
            try await check.check(state.mount(), models, promised: promised) { "\(point)\n\(state)" }
          }
        }
      }
    }
    #expect(recoveries > 10)
    #expect(check.bad.isEmpty, "\(check.bad.prefix(3).joined(separator: "\n\n"))")
  }
}

extension Edit {
  /// Returns random edits of disjoint places of the tree at the start of the crash tests.
  static func random(_ count: Int, using generator: inout SeededGenerator) -> [Edit] {
    var places = [
      "Text.txt", "Notes.txt", "Data.bin", "Current", "Images/1.png", "Images/2.png", "Images/Deep/a.txt",
      "Images/Deep/b.txt",
    ]
    places.shuffle(using: &generator)
    return places.prefix(count).enumerated().map { index, place in
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: .remove(place)
      case 1 where place != "Current": .move(place, "Moved-\(index)")
      case 2: .put("New-\(index)", "new \(index)")
      case 3: .link(place, to: "Target-\(index)")
      case 4 where place != "Current": .mode(place, 0o600)
      default: .put(place, "other \(index)")
      }
    }
  }
}
