import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("Programs that count in one document and are killed", .tags(.process, .crash), .temporaryDirectory)
struct KilledBookkeeperTests {
  /// `MANAGED_KILLS` is the number of kills; without it there are few.
  private static let kills = ProcessInfo.processInfo.environment["MANAGED_KILLS"].flatMap { Int($0) } ?? 6

  /// Rows and files agree, no edit is lost (MD1), beside a second program that goes on.
  @Test func `lose nothing beside a second writer`() async throws {
    try await fixture.open().close()
    var random = SeededGenerator(seed: UInt64(Self.kills))
    var counters = try (1...2).map { try Self.start($0, fixture) }
    for kill in 1...Self.kills {
      let victim = Int.random(in: 0...1, using: &random)
      let program = counters[victim]
      let lines = program.lines.count + Int.random(in: 1...25, using: &random)
      try await program.expect("\(lines) lines of a counter") { $0.count >= lines ? () : nil }
      // Within the work on the next line.
      for _ in 0..<Int.random(in: 0...20_000, using: &random) { _ = program.number }
      try await program.kill()
      let third = try await fixture.open { $0.errorHandler = { Issue.record("kill \(kill): \($0)") } }
      let counts = try await Self.check(third, "kill \(kill)")
      let problem = Self.problem(program.lines, count: counts[victim])
      #expect(problem == nil, "kill \(kill) of \(victim + 1)")
      try await third.close()
      counters[victim] = try Self.start(victim + 1, fixture)
    }
    for program in counters { try await program.kill() }
    try await Self.checkEnd(fixture)
    print("killed \(Self.kills) counters beside another one")
  }

  private static func start(_ number: Int, _ fixture: BookFixture) throws -> TalkingProgram {
    try TalkingProgram(Program("bookkeeper"), [fixture.url.path, "count", "\(number)"])
  }

  /// Checks that rows and files agree, in one transaction.
  ///
  /// - Returns: the number of each counter.
  private static func check(_ book: ManagedDocument, _ name: String) async throws -> [Int] {
    let (counts, sum, files, health) = try await book.read { db, content in
      let counts = try (1...2).map { number in
        try Int.fetchOne(db, sql: "SELECT CAST(title AS INTEGER) FROM recipe WHERE id = \(number)") ?? 0
      }
      let sum = try Int.fetchOne(db, sql: "SELECT servings FROM recipe WHERE id = 100") ?? 0
      let files = try (1...2).map { number in
        let path = "counts/\(number)"
        return try content.fileExists(path)
          ? String(decoding: content.read(path).prefix { $0 != 32 }, as: UTF8.self) : "0"
      }
      return (counts, sum, files, try String.fetchOne(db, sql: "PRAGMA quick_check"))
    }
    #expect(counts[0] + counts[1] == sum, "\(name)")
    #expect(files == counts.map { "\($0)" }, "\(name)")
    #expect(health == "ok", "\(name)")
    return counts
  }

  /// Returns what is wrong with a number, after the lines that a killed counter had printed.
  private static func problem(_ lines: [String], count: Int) -> String? {
    guard
      let last = lines.last(where: { $0.hasPrefix("edited") }).flatMap({ Int($0.split(separator: " ")[1]) })
    else {
      return nil
    }
    let saved = lines.last { $0.hasPrefix("saved") }.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    let allowed = lines.last == "undoing" ? last - 1...last : last...last + 1
    if !allowed.contains(count) { return "it counted to \(count) after \(lines.suffix(3)), saved \(saved)" }
    return lines.last?.hasPrefix("failed") == true ? "\(lines.suffix(2))" : nil
  }

  /// Checks the closed document, with the files under their names.
  private static func checkEnd(_ fixture: BookFixture) async throws {
    let book = try await fixture.open()
    _ = try await check(book, "the end")
    let content = try await book.book
    try await book.close()
    #expect(try fixture.visibleFiles == content.files)
    #expect(try fixture.names() == ["AdditionalContent", "Metadata.plist", "StoreContent"])
    #expect(try fixture.names(in: "StoreContent") == ["persistentStore"])
  }
}
