import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A session that saves to another place and is broken", .tags(.crash, .process),
  .enabled(if: Program.canBreak, "this needs ptrace(2)"))
struct SavedElsewhereTests {
  @Test(arguments: ["kill", "no space", "late error", "error"])
  func `has nothing there, or the whole document`(_ way: String) async throws {
    let breaking: Breaking =
      switch way {
      case "kill": .kill
      case "no space": .error(.noSpace)
      case "late error": .lateError(.ioError)
      default: .error(.ioError)
      }
    try await withTemporaryDirectory { folder in
      try await waiting {
        let fixture = try ElsewhereFixture(in: folder)
        let calls = try fixture.run(.nothing, at: 0).calls
        let done = try fixture.copy()
        #expect(calls.count > 100 && done == ElsewhereFixture.whole)
        var (points, bad, whole) = (0, 0, 0)
        // The calls from the making of the new state on.
        let first = try #require(calls.firstIndex { $0.contains("mkdirat") && $0.contains(".new") })
        for number in Points.of(Array(calls[first...]), sample: 12, each: "renameat2").map({ $0 + first }) {
          try fixture.reset()
          let broken = try fixture.run(breaking, at: number)
          guard broken.calls.count >= number else { continue }
          points += 1
          let found = try fixture.copy()
          if found == ElsewhereFixture.whole { whole += 1 }
          if found != nil && found != ElsewhereFixture.whole {
            bad += 1
            Issue.record(
              "\(breaking) at call \(broken.calls[number - 1]): there is \(found?.entries.keys.sorted() ?? [])"
            )
          }
        }
        print("saved elsewhere, \(breaking): \(points) points, \(whole) whole, \(bad) bad")
      }
    }
  }
}

/// A document with unsaved edits, and the place where a session saves it.
private struct ElsewhereFixture {
  /// The whole document, including the unsaved edits.
  static let whole: TestTree = [
    "Text.txt": "one\ntwo\n", "Images": ["Dawn.png": .file(image, mode: 0o644)],
  ]
  private static let image = [UInt8](
    (try? Data(
      contentsOf: projectFolder.appending(path: "Fixtures/Demo/Dawn.png"))) ?? Data())
  private let template: FilePath
  private let folder: FilePath

  init(in root: FilePath) throws {
    (template, folder) = (root.appending("Trip.imageNotes"), root.appending("scene"))
    let photo = root.appending("Dawn.png").string
    try Data(Self.image).write(to: URL(filePath: photo))
    try require(
      Program("docpkg").runInTime(["new", template.string, "--text", "one", "--image", photo]), "making")
    try reset()
  }

  func reset() throws {
    try require(
      Program(path: "/bin/sh").run([
        "-c", "rm -rf '\(folder)'; mkdir '\(folder)'; cp -a '\(template)' '\(folder)'",
      ]), "preparing")
  }

  func run(_ breaking: Breaking, at number: Int) throws -> BrokenRun {
    try Program("docpkg").run(
      [
        "open", folder.appending("Trip.imageNotes").string, "--exec", "append two", "--exec",
        "save " + folder.appending("Copy.imageNotes").string,
      ], in: folder, breaking, at: number)
  }

  /// Returns the document in the new place; nil if there is none.
  func copy() throws -> TestTree? {
    let path = folder.appending("Copy.imageNotes")
    guard FileManager.default.fileExists(atPath: path.string) else { return nil }
    var tree = try TestTree.read(path, of: PosixDisk())
    // Both are the library's own, and exist in every whole document.
    guard tree["Metadata.plist"] != nil, tree[".docpkg"] != nil else { return [:] }
    tree["Metadata.plist"] = nil
    tree[".docpkg"] = nil
    return tree
  }
}
