import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A package whose own files are damaged", .tags(.crash, .scale))
struct LogDamageTests {
  private static let tree: TestTree = ["Text.txt": "old", "Images": ["1.png": "one"], "Link": .link([0x61])]
  private static let edits: [Edit] = [.put("Text.txt", "new"), .put("Images/2.png", "two"), .remove("Link")]

  /// The number of each outcome.
  private struct Tally {
    var new = 0
    var reported = 0
    var bad: [String] = []

    /// Opens a damaged package and expects the new state, or the old one and a report.
    mutating func check(
      _ disk: CrashDisk, _ save: WaitingSave, isPublished: Bool, saves: Bool,
      _ place: @autoclosure () -> String
    ) async {
      do {
        let store = try await WaitingSave.open(on: disk)
        let damage = await store.logDamage
        let found = try NaturalPicture(of: WaitingSave.path, on: disk)
        switch (found == save.new, damage) {
        case (true, nil): new += 1
        case (false, .some) where found == save.old: reported += 1
        case (true, .some) where isPublished: reported += 1
        default:
          return bad.append("\(place()): \(damage.map { "\($0)" } ?? "")\n\(save.new.differences(in: found))")
        }
        guard saves else { return }
        try await store.put("After.txt", "after")
        if damage == nil {
          try await store.save()
          try await store.checkedMetadata()
          try await store.close()
        } else {
          let report = try await store.verify()
          if report.isWhole || report.log == nil { bad.append("\(place()): verified as whole") }
          do {
            try await store.save()
            bad.append("\(place()): saved over a damaged log")
          } catch {
            if error.code != .logDamaged { bad.append("\(place()): \(error)") }
          }
          if try NaturalPicture(of: WaitingSave.path, on: disk) != found {
            bad.append("\(place()): a refused save changed something")
          }
        }
      } catch {
        bad.append("\(place()): \(error)")
      }
    }

    func expectNoneBad() {
      #expect(bad.isEmpty, "\(bad.prefix(5).joined(separator: "\n"))")
    }
  }

  /// Returns whether to test this byte: all bytes near a nonzero one, and a few of the unread zeros.
  private static func isSampled(_ offset: Int, in bytes: [UInt8]) -> Bool {
    let near = bytes[max(0, offset - 16)..<min(bytes.count, offset + 17)]
    return near.contains { $0 != 0 } || offset % 101 == 0
  }

  @Test(arguments: [true, false], [true, false])
  func `loses no acknowledged save to a flipped bit in the log`(
    metadata: Bool, isPublished: Bool
  ) async throws {
    // A record with a flipped bit does not count (J2), and is reported if it was committed (J4).
    let save = try await WaitingSave(Self.tree, metadata: metadata, Self.edits)
    func disk() -> CrashDisk { isPublished ? save.afterPublishing() : save.afterCommit() }
    let bytes = try disk().contents(of: WaitingSave.hidden.appending("log"))
    var (tally, sample) = (Tally(), CaseSample(oneOf: 23))
    for offset in bytes.indices where Self.isSampled(offset, in: bytes) {
      for bit in 0..<8 where sample.isNext() {
        let disk = disk()
        try disk.damage("log", in: WaitingSave.hidden) { $0[offset] ^= 1 << bit }
        let saves = (offset * 8 + bit) % 61 == 0
        await tally.check(disk, save, isPublished: isPublished, saves: saves, "bit \(bit) of byte \(offset)")
      }
    }
    tally.expectNoneBad()
    #expect(tally.new > 0 && tally.reported > 0)
  }

  @Test(arguments: [true, false], [true, false])
  func `loses no acknowledged save to a log that is cut short`(
    metadata: Bool, isPublished: Bool
  ) async throws {
    let save = try await WaitingSave(Self.tree, metadata: metadata, Self.edits)
    func disk() -> CrashDisk { isPublished ? save.afterPublishing() : save.afterCommit() }
    let bytes = try disk().contents(of: WaitingSave.hidden.appending("log"))
    var (tally, sample) = (Tally(), CaseSample(oneOf: 11))
    for length in bytes.indices where length % 8 == 0 || Self.isSampled(length, in: bytes) {
      guard sample.isNext() else { continue }
      let disk = disk()
      try disk.damage("log", in: WaitingSave.hidden) { $0.removeLast(bytes.count - length) }
      await tally.check(
        disk, save, isPublished: isPublished, saves: length % 61 == 0, "cut to \(length) bytes")
    }
    tally.expectNoneBad()
  }

  /// Makes a package that was closed in good order.
  private static func closed() async throws -> CrashPoint {
    let disk = try await CrashCheck.disk(tree, metadata: true)
    let store = try await WaitingSave.open(on: disk)
    try await store.save(edits)
    try await store.saveAndClose("Text.txt", "newer")
    guard let point = await CrashDisk.crashPoints(of: disk, during: {}).last else {
      throw SystemError("save", code: .invalidArgument)
    }
    return point
  }

  @Test func `saves right over a log that is damaged, or says so, if all of it is published`()
    async throws
  {
    let point = try await Self.closed()
    let bytes = try point.afterKill().contents(of: WaitingSave.hidden.appending("log"))
    var damages: [(String, (inout [UInt8]) -> Void)] = []
    for offset in bytes.indices {
      let bit = offset % 8
      damages.append(("bit \(bit) of byte \(offset)", { $0[offset] ^= 1 << bit }))
      damages.append(("cut to \(offset)", { $0.removeLast(bytes.count - offset) }))
    }
    var sample = CaseSample(oneOf: 61)
    for (place, damage) in damages where sample.isNext() {
      let disk = point.afterKill()
      try disk.damage("log", in: WaitingSave.hidden, damage)
      let store = try await WaitingSave.open(on: disk)
      if await store.logDamage != nil {
        // Nothing is lost: a repair sets the log aside.
        #expect(try await store.repair().putLogAside, "\(place)")
      }
      #expect(try await store.verify().isWhole, "\(place)")
      try await store.save([.put("Text.txt", "newest"), .remove("Images")])
      try await store.checkedMetadata()
      try await store.close()
      let report = try await WaitingSave.open(on: disk).verify()
      #expect(report.isWhole, "\(place): \(report)")
    }
  }

  @Test func `is repaired with all that can be read, and the versions stay`() async throws {
    // A record that is committed and cannot be read damages the log, and no other record (J4).
    let disk = try await CrashCheck.disk(["Text.txt": "0", "Other.txt": "o"], metadata: true)
    for text in ["1", "2"] {
      try await CrashCheck.save("Text.txt", text, options: .keepsHistory, on: disk)
    }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.save("Text.txt", "3", options: [.keepsHistory, .returnsAtCommit])
    await store.relinquish()
    let bytes = try disk.contents(of: "log", in: disk.openDirectory(at: WaitingSave.hidden))
    let record = try #require(bytes.ranges(of: Array("DREC".utf8)).last)
    try disk.damage("log", in: WaitingSave.hidden) { $0[record.lowerBound + 100] ^= 1 }
    let damaged = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(await damaged.logDamage != nil)
    #expect(try await damaged.repair().putLogAside)
    try await damaged.close()
    try disk.edit("Other.txt", "theirs")
    let next = try await PackageStore.open(CrashCheck.path, on: disk)
    let report = try await next.verify()
    #expect(report.isWhole && report.changed == ["Other.txt"])
    #expect(try await next.versions().count == 2)
    try await next.save("Text.txt", "4")
    #expect(try await next.versions().count == 3)
    let oldest = try #require(try await next.versions().last).persistentIdentifier
    #expect(try await next.contents(of: oldest).tree.regularFile(at: "Text.txt").text == "0")
  }

  @Test func `reports damaged metadata, or has what counts in it`() async throws {
    let point = try await Self.closed()
    let right = try #require(try await WaitingSave.open(on: point.afterKill()).metadata())
    let bytes = try point.afterKill().contents(of: WaitingSave.path.appending("Metadata.plist"))
    var damages: [(String, (inout [UInt8]) -> Void)] = []
    for offset in bytes.indices {
      for bit in 0..<8 { damages.append(("bit \(bit) of byte \(offset)", { $0[offset] ^= 1 << bit })) }
      damages.append(("cut to \(offset)", { $0.removeLast(bytes.count - offset) }))
    }
    var (sample, refused, notWhole) = (CaseSample(oneOf: 17), 0, 0)
    for (place, damage) in damages where sample.isNext() {
      let disk = point.afterKill()
      try disk.damage("Metadata.plist", in: WaitingSave.path, damage)
      let store = try await WaitingSave.open(on: disk)
      do {
        let metadata = try await store.metadata()
        guard try await store.verify().isWhole else {
          notWhole += 1
          continue
        }
        let found = try #require(metadata, "\(place)")
        #expect(found.contentDigest.lowercased() == right.contentDigest, "\(place)")
        #expect(found.fileCount == right.fileCount && found.size == right.size, "\(place)")
      } catch let error as FilePackageError {
        #expect([.metadataDamaged, .newerFormat].contains(error.code), "\(place): \(error)")
        refused += 1
      }
    }
    #expect(refused > 0 && notWhole > 0)
  }

  @Test(arguments: [false, true])
  func `restores no child from a kept file with other bytes, although its size and its date are right`(
    hasCopy: Bool
  ) async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "zero"], metadata: true)
    for text in ["one", "two", "one"] {
      try await CrashCheck.save("Text.txt", text, options: .keepsHistory, on: disk)
    }
    let date = try disk.status(of: "Text.txt", in: disk.openDirectory(at: CrashCheck.path)).modified
    let kept: FilePath = "/Trip.pkg/.docpkg/kept"
    let name = FileName(keeping: ContentHash(of: Array("one".utf8)), .file)
    for (name, folder) in [("Text.txt", CrashCheck.path), (name, kept)] {
      try disk.damage(name, in: folder) { $0 = Array("bad".utf8) }
      try disk.setModified(date, of: name, in: disk.openDirectory(at: folder))
    }
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    if hasCopy {
      try disk.makeFile("a-copy", Array("one".utf8), in: disk.openDirectory(at: kept))
    }
    let repair = try await store.repair()
    #expect(repair.restored.map(\.source) == (hasCopy ? [".docpkg/kept/a-copy"] : []))
    #expect(repair.remaining.damaged == (hasCopy ? [] : ["Text.txt"]))
    #expect(try disk.contents(of: "/Trip.pkg/Text.txt") == Array((hasCopy ? "one" : "bad").utf8))
    try await store.close()
  }

  @Test func `restores a child by its bytes, also if its size, its date and the store's notes are right`()
    async throws
  {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "one", "Other.txt": "one"])
    try await store.put("Other.txt", "two")
    try await store.save(options: .keepsHistory)
    // The lock gives the store the notes of its last save.
    try await store.addConflictVersion(
      FileWrapper(directoryWithFileWrappers: [:]), as: UUID(), savedBy: "elsewhere", on: Date(),
      broughtBy: "tests")
    try disk.damage("Text.txt", in: CrashCheck.path) { $0 = Array("bad".utf8) }
    let repair = try await store.repair()
    #expect(repair.restored.map(\.path) == ["Text.txt"])
    #expect(repair.remaining.isWhole)
    #expect(try disk.contents(of: "/Trip.pkg/Text.txt") == Array("one".utf8))
    try await store.close()
  }
}
