import Foundation
import SystemPackage
import TestSupport
import Testing

/// Two container folders of one container: `A` has news for the store, or the store has news for `B`.
private struct TwoFolders {
  let folder: FilePath
  private static let docpkg = Program("docpkg")

  init(in folder: FilePath) throws {
    self.folder = folder
    for name in ["disk", "A"] {
      try FileManager.default.createDirectory(
        atPath: folder.appending(name).string, withIntermediateDirectories: true)
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

  func run(_ arguments: String...) throws {
    let run = try Self.docpkg.run(arguments, in: folder)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
  }

  func cloud(_ arguments: String...) throws {
    let run = try Self.docpkg.run(["cloud"] + arguments, in: folder)
    #expect(run.status == 0, "\(arguments): \(run.errors)")
  }

  /// Runs `cloud sync` of a folder, with one call broken.
  func sync(_ name: String, _ breaking: Breaking, at number: Int) throws -> BrokenRun {
    try Self.docpkg.run(
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
      let conflicts = try Self.docpkg.run(["conflicts", "\(side)/Trip.imageNotes"], in: folder)
      #expect(conflicts.status == 0, "\(side), \(place): \(conflicts.output)")
    }
  }
}

@Suite("A sync of a container folder", .tags(.process, .crash, .scale))
struct CloudSyncCrashTests {
  /// `CLOUD_KILLS` is the number of kills on each side; without it there are few.
  private static let kills = ProcessInfo.processInfo.environment["CLOUD_KILLS"].flatMap { Int($0) } ?? 12

  @Test(.enabled(if: Program.canBreak, "programs cannot be traced here"), arguments: ["A", "B"])
  func `that is killed at any call loses nothing, and makes no conflict`(side: String) async throws {
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
        let broken = try folders.sync(side, .kill, at: point)
        try folders.check("killed before call \(point) of \(calls.count): \(broken.calls.last ?? "none")")
      }
    }
    print("  sync of \(side): \(points.count) kills at \(calls.count) calls")
  }
}
