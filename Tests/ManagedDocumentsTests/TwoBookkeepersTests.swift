import DurableIO
import FileTrees
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("Two programs with one document with a database", .tags(.process), .temporaryDirectory)
struct TwoBookkeepersTests {
  @Test func `see each other's edits, undos and saves`() async throws {
    let (one, two) = (try await BookkeeperProcess(fixture.url), try await BookkeeperProcess(fixture.url))
    try await one.perform("add 1 Rösti")
    try await two.waitToSee("1=Rösti/1")
    try await two.waitForEvent("changed by another program, reloaded: StoreContent/persistentStore")
    try await two.wait(for: "true", of: "unsaved")
    try await two.perform("add 2 Soup")
    try await one.waitToSee("1=Rösti/1 2=Soup/1")
    // A save of one program saves the edits of both.
    try await two.perform("save")
    try await one.wait(for: "false", of: "unsaved")
    try await one.perform("undo")
    try await two.waitToSee("2=Soup/1")
    try await one.perform("redo")
    try await two.waitToSee("1=Rösti/1 2=Soup/1")
    try await one.perform("write note golden")
    #expect(try await two.perform("read note") == "golden")
    try await Self.end(one, two)
    let book = try await fixture.open()
    #expect(try await book.book.titles == ["Rösti", "Soup"])
    #expect(try fixture.visibleFiles == ["note": "golden"])
    try await book.close()
  }

  @Test func `see the edits of a program that knows only the database`() async throws {
    let one = try await BookkeeperProcess(fixture.url)
    let other = try DatabaseQueue(path: fixture.url.appending(path: "StoreContent/persistentStore").path)
    for number in 1...20 {
      try await other.write { db in try Recipe(id: Int64(number), title: "\(number)").insert(db) }
    }
    try await one.waitToSee((1...20).map { "\($0)=\($0)/2" }.joined(separator: " "))
    try other.close()
    try await Self.end(one)
  }

  /// In a user namespace of its own, a program may have no watches at all.
  private static let noWatches = "echo 0 > /proc/sys/user/max_inotify_watches"

  @Test(.enabled(if: Program.succeeds("unshare -Ur sh -ec '\(noWatches)'"), "this needs a user namespace"))
  func `see each other's edits without a watch, and say so`() async throws {
    let one = try await BookkeeperProcess(fixture.url, after: Self.noWatches)
    let two = try await BookkeeperProcess(fixture.url)
    try await two.perform("add 1 Rösti")
    try await one.waitToSee("1=Rösti/1")
    try await two.perform("save")
    try await one.wait(for: "false", of: "unsaved")
    let errors = one.program.lines.filter { $0.hasPrefix("error ") }
    #expect(errors.count == 1 && errors[0].contains("fs.inotify.max_user_watches"), "\(errors)")
    try await Self.end(one, two)
  }

  /// The system ends the locks of a process on a file when the process closes any descriptor of it. Without its locks,
  /// the other program takes itself for the last one when it closes the document, and removes the log that is in use.
  @Test func `lose nothing when one of them reads the files of the database`() async throws {
    let book = try await fixture.openRösti()
    let disk = PosixDisk()
    let store = try disk.openDirectory(at: fixture.folder.appending(fixture.name).appending("StoreContent"))
    for name in ["persistentStore", "persistentStore-shm", "persistentStore-wal"] {
      #expect(try !disk.readAll(disk.openFile(FileName(name), in: store), atMost: 1 << 20).isEmpty)
    }
    let other = try await BookkeeperProcess(fixture.url)
    try await other.perform("add 2 Soup")
    try await Self.end(other)
    try await book.add(Recipe(id: 3, title: "Bread"))
    let third = try await BookkeeperProcess(fixture.url)
    #expect(try await third.perform("rows") == "1=Rösti/2 2=Soup/1 3=Bread/2")
    try await Self.end(third)
    #expect(try await book.book.titles.sorted() == ["Bread", "Rösti", "Soup"])
    try await book.close()
  }

  /// Has the programs close the document.
  static func end(_ programs: BookkeeperProcess...) async throws {
    for program in programs { program.program.send("close") }
    for program in programs {
      let run = try await program.program.waitForEnd()
      #expect(run.status == 0, "\(program.program.lines.suffix(4)) \(run.errors)")
    }
  }
}
