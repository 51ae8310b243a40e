import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("An edit of another program's beside a save that is not published", .tags(.crash, .scale))
struct RecoveryEditTests {
  private static let tree: TestTree = [
    "Text.txt": "old text", "Gone.txt": "going", "Images": ["1.png": "one"],
    "Folder": ["a.txt": "a", "Deep": ["b.txt": "b"]], "Became": ["c.txt": "c"],
    "Link": .link(Array("x".utf8)),
  ]
  private static let edits: [Edit] = [
    .put("Text.txt", "my text"), .remove("Gone.txt"), .put("New.txt", "my new"),
    .put("Images/2.png", "my image"), .remove("Folder"), .remove("Became"), .put("Became", "my file"),
    .folder("Fresh"), .put("Fresh/x.txt", "my fresh"), .link("Link", to: "y"),
  ]
  private static let mine = ["my text", "my new", "my image", "my file", "my fresh"]
  static let theirs = "theirs"

  /// The places that another program edits.
  static let places = [
    "Text.txt", "Gone.txt", "New.txt", "Images/2.png", "Images", "Folder", "Folder/a.txt",
    "Folder/Deep/b.txt",
    "Folder/more.txt", "Became", "Became/c.txt", "Became/more.txt", "Fresh", "Fresh/x.txt", "Link",
  ]

  enum Outside: CaseIterable {
    case rewritten, replaced, removed, mode, becameFolder, becameLink

    /// - Returns: whether the other program wrote a file there.
    func act(at place: String, on disk: any Disk) throws -> Bool {
      let path = PackagePath(place)
      guard let name = path.name else { return false }
      var folder = try disk.openDirectory(at: WaitingSave.path)
      for name in path.parent.names {
        guard try disk.kind(of: name, in: folder) == .directory else { return false }
        folder = try disk.openDirectory(name, in: folder)
      }
      let kind = try disk.kind(of: name, in: folder)
      let bytes = Array(RecoveryEditTests.theirs.utf8)
      switch self {
      case .rewritten:
        guard kind == .file else { return false }
        let file = try disk.openFileForWriting(name, in: folder)
        try disk.resize(file, to: 0)
        try disk.writeAll(bytes, to: file)
      case .replaced:
        if kind != nil { try disk.moveAway(name, in: folder) }
        try disk.makeFile(name, bytes, in: folder)
      case .removed:
        if kind != nil { try disk.moveAway(name, in: folder) }
        return false
      case .mode:
        if kind == .file { try disk.setMode(0o640, of: disk.openFile(name, in: folder)) }
        return false
      case .becameFolder:
        if kind != nil { try disk.moveAway(name, in: folder) }
        try disk.makeDirectory(name, in: folder, mode: 0o755)
        try disk.makeFile("inside.txt", bytes, in: disk.openDirectory(name, in: folder))
      case .becameLink:
        if kind != nil { try disk.moveAway(name, in: folder) }
        try disk.makeSymbolicLink(to: bytes, named: name, in: folder)
      }
      return true
    }
  }

  /// Returns the bytes of every file and link in the package, including the conflict versions, and the modes.
  private static func texts(on disk: any Disk) throws -> [String: String] {
    let picture = try PackagePicture(of: WaitingSave.path, on: disk)
    return picture.entries.filter { !$0.key.hasPrefix(".docpkg") || $0.key.hasPrefix(".docpkg/conflicts/") }
      .mapValues { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Returns the texts that were visible before the edit.
  private static func natural(on disk: any Disk) throws -> Set<String> {
    Set(try texts(on: disk).filter { !$0.key.hasPrefix(".docpkg") }.values)
  }

  @Test(arguments: [true, false], [LogCrashTests.Kind.all, .noExchangeNorKeep])
  func `keeps both when the package is opened again`(metadata: Bool, kind: LogCrashTests.Kind) async throws {
    let save: WaitingSave
    do {
      save = try await WaitingSave(Self.tree, metadata: metadata, Self.edits, options: kind.options)
    }
    var (conflicts, unreported, bad) = (0, 0, [String]())
    var sample = CaseSample(oneOf: 7)
    for (number, point) in save.points.enumerated() {
      for place in Self.places {
        for outside in Outside.allCases where sample.isNext() {
          let disk = point.afterKill()
          let seen = try Self.natural(on: disk)
          let wrote = try outside.act(at: place, on: disk)
          func report(_ words: String) {
            bad.append("\(point) (\(number)): \(place) \(outside): \(words)")
          }
          do {
            let store = try await WaitingSave.open(on: disk)
            if let damage = await store.logDamage {
              // A save that was published and then removed looks the same as one that was never published and got lost.
              if place != "Fresh" || outside != .removed { report("\(damage)") }
              continue
            }
            let reported = await store.recoveryConflicts
            let texts = try Self.texts(on: disk)
            let found = Set(texts.values)
            if wrote && !found.contains(Self.theirs) { report("theirs is lost: \(texts)") }
            for text in Self.mine where !found.contains(text) && !seen.contains(text) {
              report("'\(text)' is lost: \(texts)")
            }
            let isKept = texts.keys.contains { $0.hasPrefix(".docpkg/conflicts/") }
            if isKept { conflicts += 1 }
            if isKept && reported.isEmpty { unreported += 1 }
          } catch {
            report("\(error)")
          }
        }
      }
    }
    #expect(bad.isEmpty, "\(bad.prefix(8).joined(separator: "\n"))")
    #expect(unreported == 0 && conflicts > 0)
  }

  @Test(arguments: [[], PackageStore.SavingOptions.keepsHistory])
  func `is kept if a program that was killed had moved it away`(
    options: PackageStore.SavingOptions
  ) async throws {
    // Without an exchange, it loses its name before the new file gets it.
    let base = try await CrashCheck.disk(
      Self.tree, metadata: true, options: LogCrashTests.Kind.noExchangeNorKeep.options)
    base.synchronizeAll()
    let store = try await WaitingSave.open(on: base)
    try await store.edit([.put("Text.txt", "my text")])
    try await store.save(options: options.union(.returnsAtCommit))
    try OutsideEditTests.write(Self.theirs, to: "Text.txt", in: WaitingSave.path, on: base)
    let points = try await CrashDisk.crashPoints(of: base) { try await store.publish() }
    #expect(points.count > 4)
    for point in points {
      let disk = point.afterKill()
      try await WaitingSave.open(on: disk).close()
      let found = Set(try Self.texts(on: disk).values)
      #expect(found.isSuperset(of: ["my text", Self.theirs]), "\(point): \(found)")
    }
  }

  @Test(arguments: [true, false])
  func `keeps both at every moment of a save`(returnsAtCommit: Bool) async throws {
    // The edit comes out of the exchange, and becomes a conflict version (P2).
    var (refused, conflicts, bad) = (0, 0, [String]())
    var sample = CaseSample(oneOf: 11)
    let base = try await CrashCheck.disk(Self.tree, metadata: true)
    base.synchronizeAll()
    let start = try #require(await CrashDisk.crashPoints(of: base, during: {}).last)
    let moments = try await Self.save(on: start.afterKill(), at: -1, returnsAtCommit) { false }.requests
    for place in ["Text.txt", "Gone.txt", "New.txt", "Folder/more.txt", "Became/more.txt", "Link"] {
      for outside in [Outside.rewritten, .replaced, .becameFolder] {
        for moment in 0..<moments where sample.isNext() {
          let disk = start.afterKill()
          let wrote = Mutex(false)
          let seen = Mutex<Set<String>>([])
          let result = try await Self.save(on: disk, at: moment, returnsAtCommit) {
            // The expectations below find errors of this step.
            seen.withLock { $0 = (try? Self.natural(on: disk)) ?? [] }
            return wrote.withLock { wrote in
              wrote = (try? outside.act(at: place, on: disk)) ?? false
              return wrote
            }
          }
          let texts = try Self.texts(on: disk)
          let found = Set(texts.values)
          if wrote.withLock({ $0 }) && !found.contains(Self.theirs) {
            bad.append(
              "\(place) \(outside) at \(moment): theirs is lost (\(result.error.map { "\($0)" } ?? ""))")
          }
          if result.error != nil {
            refused += 1
          } else {
            conflicts += result.conflicts.isEmpty ? 0 : 1
            let seen = seen.withLock { $0 }
            for text in Self.mine where !found.contains(text) && !seen.contains(text) {
              bad.append("\(place) \(outside) at \(moment): '\(text)' is lost: \(texts)")
            }
            if texts.keys.contains(where: { $0.hasPrefix(".docpkg/conflicts/") }) && result.conflicts.isEmpty
            {
              bad.append("\(place) \(outside) at \(moment): kept and not reported: \(texts)")
            }
          }
        }
      }
    }
    #expect(bad.isEmpty, "\(bad.prefix(8).joined(separator: "\n"))")
    #expect(refused > 0 && conflicts > 0)
  }

  /// Saves, and lets another program act before the request of that number.
  private static func save(
    on disk: CrashDisk, at moment: Int, _ returnsAtCommit: Bool, _ act: @escaping @Sendable () -> Bool
  ) async throws -> (requests: Int, conflicts: [String], error: FilePackageError?) {
    let first = Mutex<Int?>(nil)
    let counting = CountingDisk(disk) { event throws(SystemError) in
      if first.withLock({ $0.map { event.number - $0 } }) == moment { _ = act() }
    }
    let store = try await WaitingSave.open(on: counting)
    try await store.edit(edits)
    let before = counting.counts.total
    first.withLock { $0 = before }
    do {
      let report = try await store.save(options: returnsAtCommit ? .returnsAtCommit : [])
      try await store.publish()
      let all = report.conflicts + (await store.recoveryConflicts)
      return (counting.counts.total - before, all, nil)
    } catch {
      return (counting.counts.total - before, [], error)
    }
  }
}

extension Disk {
  fileprivate func kind(of name: FileName, in folder: borrowing OwnedDescriptor) throws -> FileKind? {
    do {
      return try status(of: name, in: folder).kind
    } catch  where error.code == .noSuchFileOrDirectory {
      return nil
    }
  }

  /// Moves a node out of the package: another program may remove its own files.
  fileprivate func moveAway(_ name: FileName, in folder: borrowing OwnedDescriptor) throws {
    let root = try openDirectory(at: "/")
    try rename(name, in: folder, to: FileName("away-\(name.string)"), in: root, .replace)
  }
}
