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
      let watching = try Watching("Trip.imageNotes", in: folder)
      // Changes before the watch begins are not reported, so `waits` repeats the edit until it is.
      try await watching.waits(for: "changed") {
        _ = try docpkg("edit", "Trip.imageNotes", "--append", "Two", in: folder)
      }
      let (old, new) = (
        folder.appending("Trip.imageNotes").string, folder.appending("Tour.imageNotes").string
      )
      try FileManager.default.moveItem(atPath: old, toPath: new)
      try await watching.waits(for: "moved") {}
      try FileManager.default.removeItem(atPath: new)
      try await watching.waits(for: "deleted") {}
      let lines = try watching.lines()
      #expect(lines.first?.paths?.contains("Text.txt") == true)
      #expect(lines.last?.document.hasSuffix("/Tour.imageNotes") == true)
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

/// A running `docpkg watch --json`.
private final class Watching {
  struct Line: Decodable {
    var event: String
    var document: String
    var paths: [String]?
  }

  private let process = Process()
  private let output: URL

  init(_ name: String, in folder: FilePath) throws {
    output = URL(filePath: folder.appending("output").string)
    try Data().write(to: output)
    process.executableURL = tool
    process.arguments = ["watch", name, "--json"]
    process.currentDirectoryURL = URL(filePath: folder.string)
    process.standardOutput = try FileHandle(forWritingTo: output)
    try process.run()
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  func lines() throws -> [Line] {
    try Data(contentsOf: output).split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode(Line.self, from: $0)
    }
  }

  /// Calls `body` again and again until there is a line of that event; without one the test's time limit ends the
  /// wait.
  func waits(for event: String, while body: () throws -> Void) async throws {
    while try !lines().contains(where: { $0.event == event }) {
      try #require(process.isRunning)
      try body()
      try await Task.sleep(for: .milliseconds(300))
    }
  }
}
