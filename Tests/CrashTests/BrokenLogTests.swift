import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("A command whose log fails", .tags(.crash, .process), .tracing, .temporaryDirectory)
struct BrokenLogTests {
  /// A document with a history, in a folder of its own.
  private struct Fixture: Sendable {
    let folder: FilePath
    var package: String { folder.appending("Trip.imageNotes").string }

    init(in folder: FilePath) throws {
      self.folder = folder
      try require(Program.docpkg.runInTime(["new", package, "--text", "0"]), "making")
      // The second save finds the log of the first one.
      for text in ["1", "2"] {
        try require(Program.docpkg.runInTime(["edit", package, "--text", text]), "editing")
      }
    }

    /// Saves a text, with one call broken.
    ///
    /// The folder for coordination is its own, so that no other process makes a difference to the calls.
    func save(_ text: String, _ breaking: Breaking, at number: Int) throws -> BrokenRun {
      try Program(path: "/usr/bin/env").run(
        ["XDG_RUNTIME_DIR=\(folder)", Program.docpkg.path, "edit", package, "--text", text], in: folder,
        breaking,
        at: number)
    }

    /// Saves texts from the first number on, until the broken call is the chosen one of an unbroken save.
    ///
    /// - Returns: the broken run, and the last text.
    func save(
      from first: Int, _ breaking: Breaking, at place: ([String]) -> Int?
    ) throws -> (run: Run, text: Int)? {
      var calls = try save("\(first)", .nothing, at: 0).calls
      // The calls of several threads have another order from time to time, above all on a busy machine.
      for number in (first + 1)...(first + 40) {
        guard let index = place(calls) else { return nil }
        let broken = try save("\(number)", breaking, at: index + 1)
        // It is the same call if the same ones came before it.
        let earlier = { (calls: [String], call: String) in calls.prefix(index).count { $0 == call } }
        if broken.calls.count > index, broken.calls[index] == calls[index],
          earlier(broken.calls, calls[index]) == earlier(calls, calls[index])
        {
          return (broken.run, number)
        }
        calls = broken.calls
      }
      return nil
    }

    /// Returns the text on disk and those of the versions, the newest first; nil for a lost one.
    func texts() async throws -> [String?] {
      let store = try await PackageStore.open(at: URL(filePath: package))
      var texts = [try await store.tree.regularFile(at: "Text.txt").regularFileContents]
      for version in try await store.versions() {
        let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
        texts.append(lost.isEmpty ? try tree.regularFile(at: "Text.txt").regularFileContents : nil)
      }
      #expect(try await store.verify().isWhole)
      try await store.close()
      return texts.map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }
  }

  private static func writes(_ calls: [String]) -> [Int] {
    calls.indices.filter { calls[$0].contains(" pwrite64 ") && calls[$0].hasSuffix("/log ") }
  }

  @Test(arguments: [Breaking.error(.ioError), .lateError(.ioError), .lateError(.noSpace)])
  func `has every version, although a write fails or seems to fail`(breaking: Breaking) async throws {
    // The last write says that the save is published, and the history does not have its version yet (J6).
    let fixture = try await waiting { try Fixture(in: folder) }
    var text = 3
    for place in 1...2 {
      let first = text
      let broken = try await waiting {
        try fixture.save(from: first, breaking) { Self.writes($0).dropLast(place - 1).last }
      }
      let (run, last) = try #require(broken)
      #expect(run.status == 0, "\(run.errors)")
      text = last + 1
      let texts = try await fixture.texts()
      #expect(texts == (0...last).reversed().map { "\($0)" }, "write \(place) from the end")
    }
  }

  @Test func `has saved everything if the last sync fails, and ends with 0 and a warning`() async throws {
    let fixture = try await waiting { try Fixture(in: folder) }
    let broken = try await waiting {
      try fixture.save(from: 3, .error(.ioError)) { calls in
        // It makes the marks of the log durable.
        calls.lastIndex { $0.contains(" fdatasync ") && $0.hasSuffix("/log ") }
      }
    }
    let (run, last) = try #require(broken)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.errors.contains("warning: saved; the session did not end"), "\(run.errors)")
    #expect(try await fixture.texts().first == "\(last)")
  }
}
