import Foundation
import SystemPackage
import TestSupport
import Testing

/// Two container folders of one container: `A` has news for the store, or the store has news for `B`.
private struct TwoFolders {
  let folder: FilePath

  init(in folder: FilePath) throws {
    self.folder = folder
    for name in ["disk", "A"] {
      try createFolder(at: folder.appending(name))
    }
    try cloud("init", "disk", "A", "--device", "laptop")
    try cloud("add", "disk", "B", "--device", "desktop")
    try run("new", "A/Trip.imageNotes", "--text", "Three valleys", "--quiet")
    try write("rain", to: "A/old.txt")
    try write("wind", to: "A/note.txt")
    try cloud("sync", "A", "--quiet")
    try cloud("sync", "B", "--quiet")
    try cloud("download", "B/Trip.imageNotes", "B/old.txt", "B/note.txt", "--quiet")
    // The news: a child changed, one is new, a file changed, one is gone, and one is new.
    try run("edit", "A/Trip.imageNotes", "--text", "The hut", "--set", "Map.txt=A/old.txt", "--quiet")
    try write("storm", to: "A/note.txt")
    try write("snow", to: "A/new.txt")
    try FileManager.default.removeItem(atPath: folder.appending("A/old.txt").string)
  }

  func run(_ arguments: String...) throws { try docpkg(arguments, in: folder) }

  func cloud(_ arguments: String...) throws { try docpkg(["cloud"] + arguments, in: folder) }

  /// Runs `cloud sync` of a folder, with one call broken.
  func sync(_ name: String, _ breaking: Breaking, at number: Int) throws -> BrokenRun {
    try Program("docpkg").run(
      ["cloud", "sync", folder.appending(name).string, "--quiet"], in: folder, breaking, at: number)
  }

  func write(_ text: String, to path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: folder.appending(path).string))
  }

  /// Brings both folders up to date, and checks that each has everything, and nothing else.
  func check(_ place: String) throws {
    try cloud("sync", "A", "--quiet")
    try cloud("sync", "B", "--quiet")
    try cloud("download", "B/new.txt", "--quiet")
    try cloud("check", "A", "--read")
    for side in ["A", "B"] {
      func text(_ path: String) -> String? {
        (try? Data(contentsOf: URL(filePath: folder.appending("\(side)/\(path)").string)))
          .map { String(decoding: $0, as: UTF8.self) }
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.appending(side).string)
      #expect(
        names.sorted() == [".docpkg-cloud", "Trip.imageNotes", "new.txt", "note.txt"], "\(side), \(place)")
      #expect(text("note.txt") == "storm" && text("new.txt") == "snow", "\(side), \(place)")
      #expect(text("Trip.imageNotes/Text.txt") == "The hut", "\(side), \(place)")
      #expect(text("Trip.imageNotes/Map.txt") == "rain", "\(side), \(place)")
      try run("verify", "\(side)/Trip.imageNotes", "--quiet")
      let conflicts = try Program("docpkg").run(["conflicts", "\(side)/Trip.imageNotes"], in: folder)
      #expect(conflicts.status == 0, "\(side), \(place): \(conflicts.output)")
    }
  }
}

@Suite("A sync of a container folder", .tags(.process, .crash, .scale))
struct CloudSyncCrashTests {
  /// `CLOUD_KILLS` is the number of kills on each side; without it there are few.
  private static let kills = ProcessInfo.processInfo.environment["CLOUD_KILLS"].flatMap { Int($0) } ?? 12

  @Test(
    .tracing, arguments: ["A", "B"],
    [Breaking.kill, .error(.ioError)])
  func `that is broken at any call loses nothing, and makes no conflict`(
    side: String, breaking: Breaking
  ) async throws {
    func withFolders(_ body: (TwoFolders) throws -> Void) async throws {
      try await withTemporaryDirectory { folder in
        let folders = try TwoFolders(in: folder)
        if side == "B" { try folders.cloud("sync", "A", "--quiet") }
        try body(folders)
      }
    }
    var calls: [String] = []
    try await withFolders { folders in
      let whole = try folders.sync(side, .nothing, at: 0)
      #expect(whole.run.status == 0, "\(whole.run.errors)")
      calls = whole.calls
      try folders.check("no kill")
    }
    let points = Points.of(calls, sample: Self.kills)
    for point in points {
      try await withFolders { folders in
        let broken = try folders.sync(side, breaking, at: point)
        let call = broken.calls.dropFirst(point - 1).first ?? "none"
        try folders.check("\(breaking) at call \(point) of \(calls.count): \(call)")
      }
    }
    print("  sync of \(side), \(breaking): \(points.count) of \(calls.count) calls")
  }

  /// Only the package itself shows that it is one: no machine knows its type.
  @Test(.tracing)
  func `that cannot look at a new package takes it for one in the next run`() async throws {
    func sync(_ breaking: Breaking, at number: Int) async throws -> [String] {
      var calls: [String] = []
      try await withTemporaryDirectory { folder in
        let package = folder.appending("A/Trip.recipes")
        func run(_ arguments: String...) throws -> String { try docpkg(arguments, in: folder) }
        try createFolder(at: folder.appending("disk"))
        _ = try run("cloud", "init", "disk", "A")
        _ = try run("new", "Trip.imageNotes", "--text", "Three valleys", "--quiet")
        try FileManager.default.moveItem(
          atPath: folder.appending("Trip.imageNotes").string, toPath: package.string)
        calls = try Program("docpkg").run(
          ["cloud", "sync", folder.appending("A").string, "--quiet"], in: package, breaking, at: number
        ).calls
        _ = try run("cloud", "sync", "A", "--quiet")
        let list = try run("cloud", "list", "A").split(separator: "\n")
        let call = calls.dropFirst(max(0, number - 1)).first ?? "none"
        #expect(list.count == 1 && list[0].hasSuffix(" Trip.recipes"), "\(list), call \(number): \(call)")
      }
      return calls
    }
    let calls = try await sync(.nothing, at: 0)
    let looks = calls.indices.prefix(60).filter {
      ["stat", "open", "getdents"].contains(where: calls[$0].contains)
    }
    try #require(looks.count > 4, "\(calls)")
    for look in looks { _ = try await sync(.error(.ioError), at: look + 1) }
  }

  /// Machine A removed a document, which B has to remove as well: the file goes aside, is compared, and is removed.
  /// Breaks one call of the sync of a machine; returns the calls for its folder.
  private func removal(_ side: String, _ breaking: Breaking, at number: Int) async throws -> [String] {
    var calls: [String] = []
    try await withTemporaryDirectory { folder in
      @discardableResult
      func run(_ arguments: String...) throws -> String { try docpkg(arguments, in: folder) }
      let files = FileManager.default
      try files.createDirectory(atPath: folder.appending("disk").string, withIntermediateDirectories: false)
      try run("cloud", "init", "disk", "A", "--device", "laptop")
      try run("cloud", "add", "disk", "B", "--device", "desktop")
      try Data("rain".utf8).write(to: URL(filePath: folder.appending("A/old.txt").string))
      for side in ["A", "B"] { try run("cloud", "sync", side, "--quiet") }
      try run("cloud", "download", "B/old.txt", "--quiet")
      try files.removeItem(atPath: folder.appending("A/old.txt").string)
      if side == "B" { try run("cloud", "sync", "A", "--quiet") }
      let broken = folder.appending(side)
      calls = try Program("docpkg").run(
        ["cloud", "sync", broken.string, "--quiet"], in: broken, breaking, at: number
      ).calls
      for side in ["A", "B", "A"] { try run("cloud", "sync", side, "--quiet") }
      let call = "call \(number): \(calls.dropFirst(max(0, number - 1)).first ?? "none")"
      for side in ["A", "B"] {
        let left = try files.contentsOfDirectory(atPath: folder.appending(side).string)
        #expect(left == [".docpkg-cloud"], "\(call)")
        #expect(try run("cloud", "list", side) == "", "\(call)")
      }
    }
    return calls
  }

  @Test(.tracing)
  func `that cannot compare or sync a removed document removes it in the next run`() async throws {
    let calls = try await removal("B", .nothing, at: 0)
    let steps = calls.indices.filter {
      !calls[$0].contains(" close ") && !calls[$0].contains(".docpkg-cloud")
        && (calls[$0].contains(".new") || calls[$0].contains(" fsync "))
    }
    try #require(steps.contains { calls[$0].contains(" fsync ") }, "\(calls)")
    for step in steps { _ = try await removal("B", .error(.ioError), at: step + 1) }
  }

  @Test(.tracing)
  func `that cannot note what it has sent tells the other machines in the next run`() async throws {
    let calls = try await removal("A", .nothing, at: 0)
    let writes = calls.indices.filter { calls[$0].contains(" pwrite64 ") && calls[$0].contains("-wal") }
    try #require(writes.count > 4, "\(calls)")
    for write in writes.suffix(16) { _ = try await removal("A", .error(.ioError), at: write + 1) }
  }
}

/// Runs `docpkg` in a folder, which has to end with one of these statuses. Returns its output.
@discardableResult
func docpkg(_ arguments: [String], in folder: FilePath, statuses: [Int32] = [0]) throws -> String {
  let run = try Program("docpkg").run(arguments, in: folder)
  #expect(statuses.contains(run.status), "\(arguments): \(run.output)\(run.errors)")
  return run.output
}
