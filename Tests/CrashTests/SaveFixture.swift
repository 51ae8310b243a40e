import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport

/// A way to save.
enum Way: String, Sendable {
  case log, later
  /// A save file by file, as no program should do it.
  case careless

  /// The ways of the library.
  static let sound: [Way] = [.log, .later]

  var flags: [String] { self == .log ? [] : ["--\(rawValue)"] }
}

/// A package that one program saves and another one reads afterwards.
///
/// (1) After an interrupted save, each file is whole for every program.
/// (2) A reader of this library gets one generation: the one before or the one of the save.
/// (3) An acknowledged save is there.
/// (4) A failed save leaves the generation before, or reports that it is indeterminate.
/// (5) In every case the program ends by itself, by an error and not by a signal.
/// (6) The next save works and leaves nothing beside the package, nor a log with an unpublished save in it.
struct SaveFixture: Sendable {
  let folder: FilePath
  private let template: FilePath
  let package: FilePath

  init(in root: FilePath, children: Int) throws {
    folder = root.appending("scene")
    template = root.appending("Template.pkg")
    package = folder.appending("D.pkg")
    try require(Program.saver.runInTime(["init", template.string, "\(children)"]), "making the template")
  }

  /// Restores the first generation.
  func reset() throws {
    let files = FileManager.default
    if files.fileExists(atPath: folder.string) { try files.removeItem(atPath: folder.string) }
    try files.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
    try files.copyItem(atPath: template.string, toPath: package.string)
  }

  /// Saves a generation and breaks one of its calls.
  func save(_ generation: Int, _ way: Way, _ breaking: Breaking = .nothing, at number: Int = 0) throws
    -> BrokenRun
  {
    try Program.saver.run(
      ["save", package.string, "\(generation)"] + way.flags, in: folder, breaking, at: number)
  }

  /// Returns the problem after a save of the second generation with a broken call; nil if there is none.
  func problem(after broken: BrokenRun, _ way: Way, wasKilled: Bool) throws -> String? {
    let run = broken.run
    let expected: Set<Int32> = wasKilled ? [0, 2, 128 + SIGKILL] : [0, 2]
    // (5)
    if !expected.contains(run.status) { return "it ended with \(run.status): \(run.errors)" }
    if let problem = try naiveProblem() { return problem }
    let state: Int
    switch try look() {
    case .failure(let problem): return problem.text
    case .success(let found): state = found
    }
    // (2)
    if state != 1 && state != 2 { return "it is generation \(state)" }
    let isSaved = run.says("saved 2") || run.status == 0
    // (3)
    if isSaved && state != 2 { return "what was acknowledged is not there" }
    // (4)
    if run.status == 2 && !isSaved && state != 1 && !run.errors.contains("indeterminate") {
      return "it failed and is there: \(run.errors)"
    }
    return try nextSaveProblem(3, way)
  }

  /// Returns the problem that a program without this library finds. (1)
  func naiveProblem() throws -> String? {
    let naive = try Program.saver.runInTime(["naive", package.string])
    return naive.status == 0 ? nil : "for any program: \(naive.output)\(naive.errors)"
  }

  struct Problem: Error {
    var text: String
  }

  /// Returns the generation that a reader of this library gets.
  func look() throws -> Result<Int, Problem> {
    let check = try Program.saver.runInTime(["check", package.string])
    guard check.status == 0, let state = Self.number(after: "state", in: check.output) else {
      return .failure(Problem(text: "checking ended with \(check.status): \(check.output)\(check.errors)"))
    }
    return .success(state)
  }

  static func number(after word: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == word { return Int(words[1]) }
    }
    return nil
  }

  /// Returns the problem of the next save. (6)
  func nextSaveProblem(_ generation: Int, _ way: Way) throws -> String? {
    let run = try Program.saver.runInTime(["save", package.string, "\(generation)"] + way.flags)
    guard run.status == 0, run.says("saved \(generation)") else {
      return "the next save ended with \(run.status): \(run.errors)"
    }
    switch try look() {
    case .failure(let problem): return "after the next save, \(problem.text)"
    case .success(let state) where state != generation: return "the next save is not there"
    case .success: break
    }
    return try leftoverProblem()
  }

  /// Returns a report of leftovers beside the package or of a session within it; nil if there are none.
  func leftoverProblem() throws -> String? {
    let files = FileManager.default
    var left = try files.contentsOfDirectory(atPath: folder.string).filter { $0 != "D.pkg" }
    left += try leftovers(inHiddenFolder: package.appending(".docpkg")).map { ".docpkg/\($0)" }
    return left.isEmpty ? nil : "left behind: \(left.sorted().joined(separator: ", "))"
  }
}

/// Returns the files of a hidden folder that exist only while a program has the package open.
///
/// A log of published saves stays, with the lock file and an empty staging folder.
func leftovers(inHiddenFolder path: FilePath) throws -> [String] {
  let disk = PosixDisk()
  guard FileManager.default.fileExists(atPath: path.string) else { return [] }
  let names = try FileManager.default.contentsOfDirectory(atPath: path.string)
  var left = names.filter { ["log", "log.new", "tmp", "lock"].contains($0) }
  if names.contains("log"), try SaveLog.isClean(in: disk.openDirectory(at: path), on: disk) {
    left.removeAll { $0 == "log" || $0 == "lock" }
    let staged = path.appending("tmp").string
    if try names.contains("tmp") && FileManager.default.contentsOfDirectory(atPath: staged).isEmpty {
      left.removeAll { $0 == "tmp" }
    }
  }
  return left.sorted()
}

@discardableResult
func require(_ run: Run, _ what: String) throws -> Run {
  guard run.status == 0 else { throw SaveFixture.Problem(text: "\(what): \(run.errors)\(run.output)") }
  return run
}

/// Leaves the files that a synchronising program makes of a document that was edited on another computer.
func leaveConflictCopies(of other: String, in document: String) throws {
  let script = """
    set -e; cd '\(other)'; for file in Text.txt Metadata.plist .docpkg/log; do
      name=${file##*/}; base=${name%.*}; end=${name#"$base"}
      cp -a "$file" "\(document)/$(dirname "$file")/$base.sync-conflict-20261121-101112-ABCDEFG$end"
    done; cp -a -n .docpkg/kept/. '\(document)/.docpkg/kept/'
    """
  try require(Program(path: "/bin/sh").run(["-c", script]), "leaving conflict copies")
}
