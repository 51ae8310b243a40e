import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Moving a document", .temporaryDirectory)
struct DocumentMoveTests {
  private static let trip: TestTree = [
    "Text.txt": "text", "Metadata.plist": "plist", ".docpkg": ["log": "rows"],
    "Images": ["1.png": "one", "2.png": .file(Array("two".utf8), mode: 0o600)],
    "Link": .link(Array("Images/1.png".utf8)),
  ]
  private static let before: TestTree = ["Local": ["Trip.pkg": trip, "Other.pkg": ["x": "x"]], "Cloud": [:]]

  private static func disk(
    _ tree: TestTree = before, options: CrashDisk.Options = .init(),
    mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
  ) throws -> CrashDisk {
    let disk = try CrashDisk(tree, options: options, mistake: mistake)
    disk.synchronizeAll()
    return disk
  }

  @discardableResult
  private static func move(
    on disk: any Disk, copies: Bool, _ source: FilePath = "/Local/Trip.pkg", as name: FileName = "Trip.pkg"
  ) throws -> FileName {
    var move = DocumentMove(source, to: "/Cloud", on: disk)
    move.alwaysCopies = copies
    return try move.move(as: name)
  }

  /// Returns the tree without hidden names.
  private static func visible(_ disk: some Disk) throws -> TestTree {
    let tree = try TestTree.read("/", of: disk)
    return .directory(
      tree.entries.mapValues { folder in
        .directory(folder.entries.filter { $0.key.bytes.first != UInt8(ascii: ".") })
      })
  }

  /// Returns the places of the document if it is whole in one place or, for a copy, in one or both; nil otherwise.
  private static func places(_ tree: TestTree, copies: Bool) -> [String]? {
    guard tree["Local"]?["Other.pkg"] == before["Local"]?["Other.pkg"] else { return nil }
    let places = ["Local", "Cloud"].filter { tree[FileName($0)]?["Trip.pkg"] == trip }
    let others = (tree["Local"]?.entries.count ?? 0) + (tree["Cloud"]?.entries.count ?? 0) - 1 - places.count
    guard others == 0, !places.isEmpty, copies || places.count == 1 else { return nil }
    return places
  }

  private enum Way: String, CaseIterable {
    case rename, renameWithoutKeep, copy, copyWithoutKeep

    var copies: Bool { self == .copy || self == .copyWithoutKeep }

    var options: CrashDisk.Options {
      with(CrashDisk.Options()) { $0.supportsNoReplace = self == .rename || self == .copy }
    }
  }

  /// Returns the wrong states that a power cut at some moment, or the end of the program, leaves.
  private static func bad(
    _ way: Way, stopsAtFirst: Bool = false,
    mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
  ) async throws -> (bad: [String], states: Int, syncs: Int) {
    let disk = try disk(options: way.options, mistake: mistake)
    let points = try await CrashDisk.crashPoints(of: disk) {
      try move(on: disk, copies: way.copies)
      disk.promise("moved")
    }
    var (bad, states): ([String], Int) = ([], 0)
    // A missing sync shows most at the end.
    for point in points.reversed() {
      for (found, description) in point.states(limit: 32).map({ ($0.mount(), "\(point)\n\($0)") })
        + [(point.afterKill(), "\(point), killed")]
      {
        if stopsAtFirst && !bad.isEmpty { return (bad, states, disk.syncPoints.count) }
        states += 1
        guard let places = try places(visible(found), copies: way.copies) else {
          bad.append(description)
          continue
        }
        if !point.promises.isEmpty && places != ["Cloud"] { bad.append("undone: \(description)") }
        // A second call moves it, under another name if a copy is there already.
        if places.contains("Local") { try move(on: found, copies: way.copies) }
        let again = try visible(found)
        let copies = again["Cloud"]?.entries.values.map { $0 } ?? []
        if again["Local"]?.entries.count != 1 || copies != Array(repeating: trip, count: places.count) {
          bad.append("again: \(description)")
        }
      }
    }
    return (bad, states, disk.syncPoints.count)
  }

  @Test(arguments: ["rename", "renameWithoutKeep", "copy", "copyWithoutKeep"])
  func `leaves it whole in one of the two places, whenever it is cut short`(name: String) async throws {
    // Every state has the whole document in one of the places, and the next move leaves none in the first (M1).
    let way = try #require(Way(rawValue: name))
    let result = try await Self.bad(way)
    #expect(result.bad.first == nil && result.states > 4)
  }

  @Test func `needs its synchronisations`() async throws {
    // The copy is synced before it gets its name, and the name before the source goes (M3).
    let rename = try await Self.bad(.rename, stopsAtFirst: true) { _ in .leftOut }
    #expect(!rename.bad.isEmpty)
    let count = try await Self.bad(.copy).syncs
    // The last sync makes nothing durable except the freed space.
    for number in 0..<(count - 1) {
      let copy = try await Self.bad(.copy, stopsAtFirst: true) { $0.number == number ? .leftOut : nil }
      #expect(!copy.bad.isEmpty, "\(number) of \(count)")
    }
  }

  @Test func `takes another name where that is taken`() throws {
    // The other documents stay (M2).
    for copies in [false, true] {
      let disk = try Self.disk([
        "Local": ["Trip.pkg": Self.trip, "a.txt": "a", "None": "b"],
        "Cloud": ["Trip.pkg": ["Text.txt": "other"], "Trip 2.pkg": "file", "a.txt": "b", "None": "c"],
      ])
      #expect(try Self.move(on: disk, copies: copies) == "Trip 3.pkg")
      #expect(try Self.move(on: disk, copies: copies, "/Local/a.txt", as: "a.txt") == "a 2.txt")
      #expect(try Self.move(on: disk, copies: copies, "/Local/None", as: "None") == "None 2")
      let tree = try TestTree.read("/", of: disk)
      #expect(tree["Local"] == [:])
      #expect(tree["Cloud"]?["Trip 3.pkg"] == Self.trip)
      #expect(tree["Cloud"]?["Trip.pkg"] == ["Text.txt": "other"] && tree["Cloud"]?["a 2.txt"] == "a")
      #expect(tree["Cloud"]?.entries.count == 7)
      // A document that is in the folder already stays, under a name of its own.
      #expect(try Self.move(on: disk, copies: copies, "/Cloud/Trip 3.pkg") == "Trip 3.pkg")
    }
  }

  @Test func `loses no edit that another program makes at any moment of it`() throws {
    // The source goes only if it is unchanged since the copy (M4).
    var (moves, refusals) = (0, 0)
    for number in 0..<400 {
      let base = try Self.disk()
      let count = Mutex(0)
      let hasEdited = Mutex(false)
      let disk = CountingDisk(base) { _ in
        let now = count.withLock { count in
          defer { count += 1 }
          return count
        }
        guard now == number else { return }
        hasEdited.withLock { $0 = (try? Self.edit("/Local/Trip.pkg", on: base)) != nil }
      }
      do {
        try Self.move(on: disk, copies: true)
        moves += 1
      } catch let error as FilePackageError {
        #expect(error.code == .changedOnDisk, "\(number): \(error)")
        refusals += 1
      }
      let tree = try Self.visible(base)
      let all =
        (tree["Local"]?.entries ?? [:]).filter { $0.key != "Other.pkg" }.map(\.value)
        + (tree["Cloud"]?.entries.map(\.value) ?? [])
      #expect(all.count == 1, "\(number): \(tree)")
      if hasEdited.withLock({ $0 }) { #expect(all.first?["Text.txt"] == "longer text", "\(number): \(tree)") }
      if count.withLock({ $0 }) <= number { break }
    }
    #expect(moves > 5 && refusals > 20, "\(moves) and \(refusals)")
  }

  @Test(arguments: [false, true])
  func `leaves it whole and visible, whatever request fails`(copies: Bool) async throws {
    var base = try Self.disk()
    let makeBase = {
      base = try Self.disk()
      return base
    }
    let failures = try await withEachRequestFailing(on: makeBase) { disk, number in
      var name: FileName?
      do {
        name = try Self.move(on: disk, copies: copies)
      } catch {
        #expect(error is FilePackageError)
      }
      let places = try Self.places(Self.visible(base), copies: copies)
      #expect(places != nil && (name == nil || places == ["Cloud"]), "request \(number): \(places ?? [])")
    }
    #expect(failures > 4)
  }

  private static func edit(_ path: FilePath, on disk: CrashDisk) throws {
    let file = try disk.openFileForWriting("Text.txt", in: disk.openDirectory(at: path))
    try disk.write(Array("longer text".utf8), to: file, at: 0)
  }

  @Test func `says what it cannot move, and leaves it`() throws {
    try scratch.makeFolder("Local/A.pkg")
    try scratch.makeFolder("Cloud")
    try makeFIFO(scratch.path("Local/A.pkg/fifo"))
    var move = DocumentMove(scratch.path("Local/A.pkg"), to: scratch.path("Cloud"), on: PosixDisk())
    move.alwaysCopies = true
    let before = try scratch.tree("Local")
    let error = try #require(throws: FilePackageError.self) { _ = try move.move(as: "A.pkg") }
    #expect(error.code == .wrongKind && error.description.contains("could not be moved"))
    #expect(try scratch.tree("Local") == before && scratch.tree("Cloud") == [:])
    let gone = DocumentMove(scratch.path("Local/B.pkg"), to: scratch.path("Cloud"), on: PosixDisk())
    #expect(
      try #require(throws: FilePackageError.self) { _ = try gone.move(as: "B.pkg") }.code == .noSuchFile)
  }

  @Test(arguments: [
    ("a.txt", 1, "a.txt"), ("a.txt", 2, "a 2.txt"), (".a", 2, ".a 2"), ("a.b.c", 12, "a.b 12.c"),
  ])
  func `numbers a name before its extension`(name: String, number: Int, expected: String) {
    #expect(FileName(name).numbered(number).string == expected)
  }

  @Test func `numbers a name that is as long as can be`() {
    let long = FileName(String(repeating: "é", count: 125) + ".pkg").numbered(10)
    #expect(long.bytes.count <= 255 && long.string.hasSuffix("é 10.pkg"))
  }
}
