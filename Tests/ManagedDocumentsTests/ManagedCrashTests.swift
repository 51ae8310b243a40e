import DurableIO
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

@Suite(
  "A document with a database whose program is broken off", .tags(.crash, .process), .tracing,
  .temporaryDirectory)
struct ManagedCrashTests {
  /// Rows and files agree, no edit is lost (MD1), and publishing is done again (MP4).
  @Test func `killed at any call loses no edit`() async throws { try await breakAll([.kill], sample: 24) }

  @Test func `with any call failing loses no save`() async throws {
    try await breakAll([.error(.noSpace), .error(.ioError), .error(.tooManyOpenFiles)], sample: 10)
  }

  @Test func `with any call failing after it was done loses no save`() async throws {
    try await breakAll([.lateError(.ioError), .short], sample: 8)
  }

  @Test func `with any call of a lock failing ends, and loses no save`() async throws {
    try await breakAll([.error(.ioError)], sample: 40) { $0.contains(" fcntl ") }
  }

  /// - Parameter isMeant: whether a call is broken, of its line in the list of calls.
  private func breakAll(
    _ actions: [Breaking], sample: Int, _ isMeant: (String) -> Bool = { _ in true }
  ) async throws {
    let broken = BrokenBook(fixture)
    try broken.reset()
    let whole = try broken.run(.nothing, at: 0)
    let calls = whole.calls.count
    #expect(whole.run.output.contains("closed"), "\(whole.run.output)\(whole.run.errors)")
    #expect(calls > 100, "no calls were numbered")
    var (points, bad) = (0, 0)
    for action in actions {
      var random = SeededGenerator(seed: UInt64(calls))
      let all = Array(1...max(1, calls)).filter { isMeant(whole.calls[$0 - 1]) }
      for number in Points.all ? all : all.shuffled(using: &random).prefix(sample).sorted() {
        try broken.reset()
        let made = try broken.run(action, at: number)
        guard made.calls.count >= number else { continue }
        points += 1
        if let problem = try await broken.problem(after: made.run, wasKilled: action == .kill) {
          bad += 1
          Issue.record(
            "\(action) at call \(number): \(problem); it said \(made.run.output.split(separator: "\n"))")
        }
      }
    }
    print("bookkeeper \(actions): \(points) points, \(bad) bad")
  }
}

/// A document that a program edits and saves in three rounds, with one broken call.
struct BrokenBook {
  private static let bookkeeper = Program("bookkeeper")

  private let fixture: BookFixture
  private var original: String { fixture.folder.appending("original").string }

  init(_ fixture: BookFixture) { self.fixture = fixture }

  /// Brings the document to round 0.
  func reset() throws {
    let files = FileManager.default
    if !files.fileExists(atPath: original) {
      _ = try Self.bookkeeper.run([fixture.url.path, "0", "0"])
      try files.copyItem(atPath: fixture.url.path, toPath: original)
    }
    try files.removeItem(at: fixture.url)
    try files.copyItem(atPath: original, toPath: fixture.url.path)
  }

  /// Runs rounds with one call broken.
  func run(_ breaking: Breaking, at number: Int, rounds: ClosedRange<Int> = 1...2) throws -> BrokenRun {
    let arguments = [fixture.url.path, "\(rounds.lowerBound)", "\(rounds.upperBound)"]
    return try Self.bookkeeper.run(arguments, in: fixture.folder, breaking, at: number)
  }

  /// Opens the document, and returns what is wrong with it.
  func problem(after run: Run, wasKilled: Bool) async throws -> String? {
    let lines = run.output.split(separator: "\n")
    func last(_ word: String) -> Int {
      lines.compactMap { $0.hasPrefix(word) ? Int($0.dropFirst(word.count + 1).prefix { $0.isNumber }) : nil }
        .max()
        ?? 0
    }
    if run.status == 124 { return "it hung" }
    if let signal = run.signal, !wasKilled || signal != 9 { return "it ended by signal \(signal)" }
    let errors = NoteList<DocumentError>()
    let book = try await fixture.open { $0.errorHandler = { errors.add($0) } }
    if !errors.all.isEmpty { return "opening reports \(errors.all)" }
    let conflicts = try? fixture.names(in: ".docpkg/conflicts")
    if let conflicts { return "conflicts \(conflicts)" }
    let content = try await book.book
    guard let round = content.recipes.first.flatMap({ Int($0.title) }) else { return "no rows" }
    let isUndoing = last("undoing") > last("redone")
    if round < max(last("saved"), last("edited")) - (isUndoing ? 1 : 0) {
      return "round \(round) after \(lines)"
    }
    if content.titles != Array(repeating: "\(round)", count: 3) { return "mixed rows \(content.titles)" }
    let rounds = content.files.mapValues { $0.prefix { $0 != " " } }
    let paths = (1...3).map { "Pictures/\($0)" } + (round % 2 == 0 ? ["even"] : [])
    if rounds != Dictionary(uniqueKeysWithValues: paths.map { ($0, "\(round)"[...]) }) {
      return "round \(round) with files \(rounds)"
    }
    try await book.saveAndPublish()
    if try fixture.visibleFiles != content.files { return "other visible files" }
    let isSound = try await book.read { db, _ in try String.fetchOne(db, sql: "PRAGMA quick_check") == "ok" }
    if !isSound { return "a damaged database" }
    try await book.close()
    if try fixture.names() != ["AdditionalContent", "Metadata.plist", "StoreContent"] {
      return
        "remains \(try fixture.names(in: ".docpkg")) \(try fixture.names(in: ".docpkg/objects")) \(errors.all)"
    }
    return nil
  }
}
