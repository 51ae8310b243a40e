import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A command that is interrupted or killed", .tags(.crash, .process),
  .enabled(if: Program.canBreak, "this needs ptrace(2)"))
struct InterruptedCommandTests {
  @Test(arguments: InterruptedFixture.Work.allCases)
  func `is done, or leaves nothing, when a signal asks it to end`(_ work: InterruptedFixture.Work)
    async throws
  {
    try await interrupt(work, [.signal(SIGINT), .signal(SIGTERM), .signal(SIGHUP)], sample: 5)
  }

  @Test(arguments: InterruptedFixture.Work.allCases)
  func `leaves what the next command removes when it is killed`(_ work: InterruptedFixture.Work) async throws
  {
    try await interrupt(work, [.kill], sample: 12)
  }

  private func interrupt(_ work: InterruptedFixture.Work, _ breakings: [Breaking], sample: Int) async throws {
    try await withTemporaryDirectory { folder in
      try await waiting {
        let fixture = try InterruptedFixture(in: folder, work)
        let before = try fixture.state()
        let calls = try fixture.run(.nothing, at: 0).calls
        let after = try fixture.state()
        #expect(calls.count > 20 && before != after, "nothing was done")
        var (points, bad) = (0, 0)
        for breaking in breakings {
          for number in Points.of(calls, sample: sample, each: "renameat2") {
            try fixture.reset()
            let broken = try fixture.run(breaking, at: number)
            guard broken.calls.count >= number else { continue }
            points += 1
            if let problem = try fixture.problem(after: broken.run, breaking, before, after) {
              bad += 1
              Issue.record("\(breaking) at call \(broken.calls[number - 1]): \(problem)")
            }
          }
        }
        print("\(work) \(breakings): \(points) points, \(bad) bad")
      }
    }
  }
}

/// A folder with documents, and one command that works in it.
///
/// (1) The documents are in their old state, or in the state that the command makes.
/// (2) A command that is asked to end either does its work and returns 0, or does nothing and ends by that signal.
/// (3) After that, there are no new files beside the documents or in them.
/// (4) After a kill, the next command in the folder and `recover` remove the leftovers; `list` never shows them.
struct InterruptedFixture {
  enum Work: String, CaseIterable, Sendable {
    case new, copy, edit, undo, restore
    /// A change of a child in another program's package, which is too large for the log.
    case set
  }

  private static let docpkg = Program("docpkg")
  private let work: Work
  private let template: FilePath
  private let folder: FilePath

  init(in root: FilePath, _ work: Work) throws {
    self.work = work
    (template, folder) = (root.appending("template"), root.appending("scene"))
    try FileManager.default.createDirectory(atPath: template.string, withIntermediateDirectories: false)
    let document = template.appending("Trip.imageNotes").string
    try require(Self.docpkg.runInTime(["new", document, "--text", "one"]), "making")
    try require(Self.docpkg.runInTime(["edit", document, "--append", "two"]), "editing")
    let plain: TestTree = [
      "Text.rtf": "rich", "Old.bin": .file(Array(repeating: 1, count: 3 << 20), mode: 0o644),
    ]
    try plain.write(to: "Plain.rtfd", in: PosixDisk().openDirectory(at: template), of: PosixDisk())
    try Data(repeating: 7, count: 6 << 20).write(to: URL(filePath: root.appending("big").string))
    try reset()
  }

  /// Restores the initial state.
  func reset() throws {
    try require(
      Program(path: "/bin/sh").run(["-c", "rm -rf '\(folder)'; cp -a '\(template)' '\(folder)'"]), "preparing"
    )
  }

  private func path(_ name: String) -> String { folder.appending(name).string }

  private func arguments() throws -> [String] {
    let document = path("Trip.imageNotes")
    switch work {
    case .new: return ["new", path("New.imageNotes"), "--text", "new"]
    case .copy: return ["copy", path("Plain.rtfd"), path("Copy.rtfd")]
    case .edit: return ["edit", document, "--append", "three"]
    case .undo: return ["undo", document]
    case .restore:
      let listed = try Self.docpkg.runInTime(["versions", document]).output
      let oldest = listed.split(separator: "\n").last?.split(separator: " ").first
      return ["restore", document, "--version", oldest.map(String.init) ?? ""]
    case .set:
      return [
        "edit", path("Plain.rtfd"), "--set",
        "Big.bin=" + folder.removingLastComponent().appending("big").string,
      ]
    }
  }

  func run(_ breaking: Breaking, at number: Int) throws -> BrokenRun {
    try Self.docpkg.run(arguments(), in: folder, breaking, at: number)
  }

  /// Returns the documents and their contents, without the library's own files.
  func state() throws -> [String: TestTree] {
    var state: [String: TestTree] = [:]
    for name in try documents() {
      var tree = try TestTree.read(folder.appending(name), of: PosixDisk())
      tree[".docpkg"] = nil
      tree["Metadata.plist"] = nil
      state[name] = tree
    }
    return state
  }

  private func documents() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.string).filter { !$0.hasPrefix(".") }
  }

  /// Returns the files that exist only while a command works.
  private func leftovers() throws -> [String] {
    let files = FileManager.default
    var left = try files.contentsOfDirectory(atPath: folder.string).filter { $0.hasPrefix(".") }
    for name in try documents() {
      let hidden = path(name) + "/.docpkg"
      if name == "Plain.rtfd" && files.fileExists(atPath: hidden) { left.append("\(name)/.docpkg") }
      left += try CrashTests.leftovers(inHiddenFolder: FilePath(hidden)).map { "\(name)/.docpkg/\($0)" }
    }
    return left.sorted()
  }

  /// Returns the problem after an interrupted run; nil if there is none.
  func problem(
    after run: Run, _ breaking: Breaking, _ before: [String: TestTree], _ after: [String: TestTree]
  ) throws -> String? {
    if case .signal(let number) = breaking {
      let found = try state()
      // (2)
      guard run.status == 0 || run.status == 128 + number else {
        return "it ended with \(run.status): \(run.errors)"
      }
      if run.status == 0 && found != after {
        return "it says that it is done, and there is \(found.keys.sorted())"
      }
      if run.status != 0 && found != before { return "it was cancelled, and there is \(found.keys.sorted())" }
      // (3)
      let left = try leftovers()
      return left.isEmpty ? nil : "it ended with \(run.status) and left \(left)"
    }
    // (4)
    let listed = try Self.docpkg.runInTime(["list", folder.string, "--json"])
    if listed.output.contains(".docpkg") { return "'list' shows \(listed.output)" }
    for name in try documents() {
      try require(Self.docpkg.runInTime(["recover", path(name)]), "recovering '\(name)'")
    }
    // (1)
    let found = try state()
    if found != before && found != after { return "there is \(found.keys.sorted())" }
    let left = try leftovers()
    return left.isEmpty ? nil : "'recover' left \(left)"
  }
}
