import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A command whose system calls fail", .tags(.crash, .process),
  .enabled(if: Program.canBreak, "this needs ptrace(2)"))
struct BrokenCommandTests {
  private static let codes: [Errno] = [.ioError, .noSpace, .readOnlyFileSystem, .tooManyOpenFiles]

  @Test(arguments: CommandFixture.Work.allCases)
  func `ends with 0 and the new state, or with 2 and the old one`(_ work: CommandFixture.Work) async throws {
    try await withTemporaryDirectory { folder in
      let fixture = try await waiting { try CommandFixture(in: folder, work) }
      let old = try await fixture.look()
      let run = try await waiting { try fixture.run(.nothing, at: 0) }
      #expect(run.run.status == 0, "\(run.run.errors)")
      let new = try await fixture.look()
      #expect(old != new && run.calls.count > 20)
      var (points, warned, bad) = (0, 0, 0)
      for code in Self.codes {
        for number in Points.of(Array(run.calls.dropLast(points % 7)), sample: 5) {
          let broken = try await waiting {
            try fixture.reset()
            return try fixture.run(.error(code), at: number)
          }
          guard broken.calls.count >= number else { continue }
          points += 1
          let (status, errors) = (broken.run.status, broken.run.errors)
          if errors.contains("warning:") { warned += 1 }
          let found = try await fixture.look()
          let isRight =
            switch status {
            case 0: found == new
            case 2: found == old || found == new && errors.contains("in its old state or in its new one")
            default: false
            }
          // The command cannot report its result then, and says so.
          if isRight || errors.contains("standard output") { continue }
          bad += 1
          Issue.record("\(code) at \(broken.calls[number - 1]): status \(status), \(errors)\(found)")
        }
      }
      print("\(work): \(points) points, \(warned) done with a warning, \(bad) bad")
    }
  }

  @Test(arguments: CommandFixture.Work.allCases)
  func `tells of every synchronization that it waits for`(_ work: CommandFixture.Work) async throws {
    try await withTemporaryDirectory { folder in
      let run = try await waiting { try CommandFixture(in: folder, work).run(.nothing, at: 0) }
      let made = run.calls.count { call in
        let name = call.split(separator: " ").dropFirst().first ?? ""
        return ["fsync", "fdatasync", "syncfs"].contains(name)
      }
      let words = run.run.output.split(whereSeparator: \.isWhitespace)
      let place = try #require(words.firstIndex { $0.hasPrefix("synchronization") })
      #expect(Int(words[place - 1]) == made, "\(run.run.output)")
    }
  }
}

/// A document with a history, and a command that changes it or makes another one.
struct CommandFixture: Sendable {
  enum Work: String, CaseIterable, Sendable {
    case edit, set, undo, redo, restore, resolve, new, copy
  }

  private static let docpkg = Program("docpkg")
  private let work: Work
  private let root: FilePath
  private let oldest: String
  private var folder: FilePath { root.appending("scene") }
  private var package: String { folder.appending("Trip.imageNotes").string }
  private var other: String { folder.appending("Other.imageNotes").string }

  init(in root: FilePath, _ work: Work) throws {
    (self.root, self.work) = (root, work)
    let template = root.appending("Trip.imageNotes").string
    try require(Self.docpkg.runInTime(["new", template, "--text", "one"]), "making")
    for text in ["two", "three", "four"] {
      try require(Self.docpkg.runInTime(["edit", template, "--text", text]), "editing")
    }
    try require(Self.docpkg.runInTime(["undo", template]), "undoing")
    let listed = try require(Self.docpkg.runInTime(["versions", template]), "listing").output
    oldest = listed.split(separator: "\n").last?.split(separator: " ").first.map(String.init) ?? ""
    if work == .resolve {
      try Self.shell(
        """
        cd '\(template)'; for file in Text.txt Metadata.plist .docpkg/manifest; do
          name=${file##*/}; base=${name%.*}; end=${name#"$base"}
          cp -a "$file" "$(dirname "$file")/$base.sync-conflict-20261121-101112-ABCDEFG$end"
        done
        """)
      try require(Self.docpkg.runInTime(["edit", template, "--text", "five"]), "editing")
    }
    try Data("a child".utf8).write(to: URL(filePath: root.appending("child.txt").string))
    try reset()
  }

  private static func shell(_ script: String) throws {
    try require(Program(path: "/bin/sh").run(["-c", "set -e; " + script]), "preparing")
  }

  /// Restores the initial state.
  func reset() throws {
    try Self.shell(
      "rm -rf '\(folder)'; mkdir '\(folder)'; cp -a '\(root.appending("Trip.imageNotes"))' '\(folder)'")
  }

  private var arguments: [String] {
    switch work {
    case .edit: ["edit", package, "--append", "more"]
    case .set:
      ["edit", package, "--set", "Other/child.txt=\(root.appending("child.txt"))", "--remove", "Text.txt"]
    case .undo: ["undo", package]
    case .redo: ["redo", package]
    case .restore: ["restore", package, "--version", oldest]
    case .resolve: ["resolve", package, "--keep", "present"]
    case .new: ["new", other, "--text", "new"]
    case .copy: ["copy", package, other]
    }
  }

  func run(_ breaking: Breaking, at number: Int) throws -> BrokenRun {
    try Self.docpkg.run(arguments, in: folder, breaking, at: number)
  }

  /// Returns the texts that a reader finds in the document and in the other one.
  func look() async throws -> [String: String] {
    var texts = try await Self.texts(package, "")
    if FileManager.default.fileExists(atPath: other) {
      texts.merge(try await Self.texts(other, "Other: ")) { $1 }
    }
    return texts
  }

  private static func texts(_ path: String, _ prefix: String) async throws -> [String: String] {
    let store = try await PackageStore.open(at: URL(filePath: path))
    var texts = try texts(of: await store.contents(ofConflict: nil), prefix)
    texts[prefix + "conflicts"] = "\(try await store.conflictVersions().count)"
    return texts
  }

  private static func texts(of tree: FileWrapper, _ prefix: String) throws -> [String: String] {
    var texts: [String: String] = [:]
    for (name, child) in try tree.children() where name != "Metadata.plist" {
      if child.isDirectory {
        texts.merge(try Self.texts(of: child, prefix + name + "/")) { $1 }
      } else {
        texts[prefix + name] = String(decoding: try child.contents(), as: UTF8.self)
      }
    }
    return texts
  }
}
