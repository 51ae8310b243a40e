import Documents
import DurableIO
import FilePackages
import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

/// Each version is of one round, whatever call of a save (MV1) or of a migration (MV3) is the last one.
@Suite(
  "The versions of a document whose program is broken off", .tags(.crash, .process),
  .enabled(if: BrokenBook.canBreak, "this needs ptrace(2)"))
struct ManagedHistoryCrashTests {
  private static let breaker = Program("breaker")
  private static let bookkeeper = Program("bookkeeper")

  @Test func `stay whole when a save is killed or fails`() async throws {
    try await breakAll(["1", "2"], ["kill": 16, "error=28": 5, "error=5": 5]) { fixture, run in
      let errors = ErrorList()
      let book = try await fixture.open { $0.errorHandler = { errors.add($0) } }
      let saves = run.output.split(separator: "\n").filter { $0.hasPrefix("saved") }.count
      let problem = try await Self.problem(of: book, atLeast: 2 + saves)
      try await book.close()
      return problem ?? (errors.all.isEmpty ? nil : "errors \(errors.all)")
    }
  }

  @Test func `stay whole when a migration is killed or fails`() async throws {
    try await breakAll(["migrate"], ["kill": 16, "error=28": 5, "error=5": 5]) { fixture, _ in
      let book = try await fixture.open { options in
        options.migrator?.registerMigration("stars") { db in
          try db.execute(
            sql: """
              ALTER TABLE recipe ADD COLUMN stars INTEGER NOT NULL DEFAULT 3;
              UPDATE recipe SET notes = 'migrated';
              """)
        }
      }
      if try await book.book.recipes.map(\.notes) != Array(repeating: "migrated", count: 3) {
        return "no migration"
      }
      if let problem = try await Self.problem(of: book, atLeast: 3) { return problem }
      let snapshots = try fixture.names(in: ".docpkg/databases")
      try await book.close()
      // A snapshot that a killed program left goes with the next thinning.
      let left = try fixture.names(in: ".docpkg/databases")
      return left.count == 1 ? nil : "snapshots \(snapshots), then \(left)"
    }
  }

  /// Runs the bookkeeper with one broken call after the other, on a document with two versions and an unsaved edit.
  private func breakAll(
    _ arguments: [String], _ actions: [String: Int],
    problem: (BookFixture, Run) async throws -> String?
  ) async throws {
    try await BookFixture.with { fixture in
      let files = FileManager.default
      let (original, log) = (
        fixture.folder.appending("original").string, fixture.folder.appending("calls").string
      )
      let book = try await fixture.open { $0.keepsHistory = true }
      // A run of all calls takes hours, and no version goes for its age.
      try await book.setRetentionPolicy(RetentionPolicy(keepsAll: 30 * 86_400))
      try await book.close()
      _ = try Self.bookkeeper.run([fixture.url.path, "3", "4"])
      try files.copyItem(atPath: fixture.url.path, toPath: original)
      func run(_ action: String, at number: Int) throws -> (Run, Int) {
        try files.removeItem(at: fixture.url)
        try files.copyItem(atPath: original, toPath: fixture.url.path)
        let run = try Self.breaker.run(
          [log, "30", fixture.folder.string, "\(number)", action, Self.bookkeeper.path, fixture.url.path]
            + arguments)
        return (run, try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").count)
      }
      let (whole, calls) = try run("none", at: 0)
      #expect(whole.output.contains("closed"), "\(whole.output)\(whole.errors)")
      var (points, bad) = (0, 0)
      for (action, sample) in actions.sorted(by: { $0.key < $1.key }) {
        var random = SeededGenerator(seed: UInt64(calls))
        let all = Array(1...max(1, calls))
        for number in BrokenBook.all ? all : all.shuffled(using: &random).prefix(sample).sorted() {
          let (run, made) = try run(action, at: number)
          guard made >= number else { continue }
          points += 1
          var found: String?
          do {
            found = try await problem(fixture, run)
          } catch {
            found = "\(error)"
          }
          if let found {
            bad += 1
            Issue.record(
              "\(action) at call \(number): \(found); it said \(run.output.split(separator: "\n"))")
          }
        }
      }
      print("versions of bookkeeper \(arguments): \(calls) calls, \(points) points, \(bad) bad")
    }
  }

  /// Returns what is wrong with the versions: rows and files of each are of one round, the rounds of the saves.
  private static func problem(of book: ManagedDocument, atLeast count: Int) async throws -> String? {
    let versions = try await book.versions()
    if versions.count < count { return "\(versions.count) versions instead of \(count)" }
    for version in versions {
      let content = try await book.book(of: version)
      guard let round = content.recipes.first?.title else {
        if content == Book() { continue }
        return "version \(version) without rows has files"
      }
      let rounds = Set(content.titles + content.files.values.map { String($0.prefix { $0 != " " }) })
      let paths = ["1", "2", "3"].map { "Pictures/\($0)" } + (round == "4" || round == "2" ? ["even"] : [])
      if rounds != [round] || content.files.keys.sorted() != paths.sorted() {
        return "version \(version) has rounds \(rounds) and files \(content.files.keys)"
      }
    }
    return nil
  }
}
