import Foundation
import SystemPackage

/// A way to save.
enum Way: String, Sendable {
  case journal, later, relaxed, staged
  /// File by file, as no program should.
  case careless

  /// Those of the library.
  static let sound: [Way] = [.journal, .later, .relaxed, .staged]

  /// The call that puts a staged save into its place, which no sample leaves out.
  var exchange: String? { self == .staged ? "renameat2" : nil }

  var flags: [String] { self == .journal ? [] : ["--\(rawValue)"] }
}

/// A package that a program saves and another one looks at afterwards.
///
/// (1) After a save that was cut short, each file that any program reads is whole.
/// (2) A reader of this library gets one generation: the one before or the one that was being saved.
/// (3) A save that was acknowledged is there.
/// (4) A save that failed left the generation before, or said that it does not know.
/// (5) Whatever happened, it ended by itself, by an error and not by a signal.
/// (6) The next save works and leaves nothing beside the package, nor a journal in it.
struct Scene: Sendable {
  let folder: FilePath
  private let template: FilePath
  let package: FilePath

  init(in root: FilePath, children: Int) throws {
    folder = root.appending("scene")
    template = root.appending("Template.pkg")
    package = folder.appending("D.pkg")
    try require(Program.saver.runInTime(["init", template.string, "\(children)"]), "making the template")
  }

  /// Puts everything back to the first generation.
  func reset() throws {
    let files = FileManager.default
    if files.fileExists(atPath: folder.string) { try files.removeItem(atPath: folder.string) }
    try files.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
    try files.copyItem(atPath: template.string, toPath: package.string)
  }

  /// Saves a generation and breaks one call of it.
  func save(_ generation: Int, _ way: Way, _ breaking: Breaking = .nothing, at number: Int = 0) throws
    -> BrokenRun
  {
    try Program.saver.run(
      ["save", package.string, "\(generation)"] + way.flags, in: folder, breaking, at: number)
  }

  /// What is wrong after a save of the second generation whose call was broken; nil when all is well.
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

  /// (1)
  func naiveProblem() throws -> String? {
    let naive = try Program.saver.runInTime(["naive", package.string])
    return naive.status == 0 ? nil : "for any program: \(naive.output)\(naive.errors)"
  }

  struct Problem: Error {
    var text: String
  }

  /// The generation that a reader of this library gets.
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

  /// (6)
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

  /// What there is beside the package, or of a session within it, that should have gone.
  func leftoverProblem() throws -> String? {
    let files = FileManager.default
    var left = try files.contentsOfDirectory(atPath: folder.string).filter { $0 != "D.pkg" }
    let hidden = package.appending(".docpkg").string
    if files.fileExists(atPath: hidden) {
      left += try files.contentsOfDirectory(atPath: hidden).filter {
        ["journal", "journal.new", "tmp", "lock"].contains($0)
      }
      .map { ".docpkg/\($0)" }
    }
    return left.isEmpty ? nil : "left behind: \(left.sorted().joined(separator: ", "))"
  }
}

@discardableResult
func require(_ run: Run, _ what: String) throws -> Run {
  guard run.status == 0 else { throw Scene.Problem(text: "\(what): \(run.errors)\(run.output)") }
  return run
}
