import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg watch", .tags(.process))
struct WatchTests {
  @Test(.timeLimit(.minutes(20)))
  func `tells of a change, of a move and of the end`() async throws {
    try await withTemporaryDirectory { folder in
      #expect(try docpkg("new", "Trip.imageNotes", "--text", "One", in: folder).status == 0)
      let watching = try start("watch", "Trip.imageNotes", "--json", in: folder)
      // Changes before the watch begins are not reported, so `waits` repeats the edit until it is.
      try await watching.waits { (line: Line) in
        line.event == "changed"
      } while: {
        _ = try docpkg("edit", "Trip.imageNotes", "--append", "Two", in: folder)
      }
      let (old, new) = (
        folder.appending("Trip.imageNotes").string, folder.appending("Tour.imageNotes").string
      )
      try FileManager.default.moveItem(atPath: old, toPath: new)
      try await watching.waits { (line: Line) in line.event == "moved" }
      try FileManager.default.removeItem(atPath: new)
      try await watching.waits { (line: Line) in line.event == "deleted" }
      let lines = try watching.lines(Line.self)
      #expect(lines.first?.paths?.contains("Text.txt") == true)
      #expect(lines.last?.document.hasSuffix("/Tour.imageNotes") == true)
    }
  }

  @Test(.timeLimit(.minutes(20)))
  func `tells of a conflict copy that a synchronising program brings`() async throws {
    try await withTemporaryDirectory { folder in
      #expect(try docpkg("new", "Trip.imageNotes", "--text", "One", in: folder).status == 0)
      let watching = try start("watch", "Trip.imageNotes", "--json", in: folder)
      let copy = folder.appending("Trip.imageNotes/Text.sync-conflict-20261121-101112-ABCDEFG.txt")
      var number = 0
      let line: Line = try await watching.waits { (line: Line) in
        line.event == "state"
      } while: {
        number += 1
        try Data("theirs \(number)".utf8).write(to: URL(filePath: copy.string))
      }
      #expect(line.state == ["inConflict"])
      #expect(try docpkg("conflicts", "Trip.imageNotes", in: folder).status == 1)
    }
  }

  @Test func `says that there is nothing to watch`() async throws {
    try await withTemporaryDirectory { folder in
      let run = try docpkg("watch", "None.imageNotes", in: folder)
      #expect(run.status == 2 && run.output.isEmpty)
      #expect(run.errors.hasPrefix("docpkg: ") && run.errors.contains("None.imageNotes"))
    }
  }
}

/// A line of `docpkg watch --json`.
private struct Line: Decodable {
  var event: String
  var document: String
  var paths: [String]?
  var state: [String]?
}
