import Foundation
import GRDB
import ManagedDocuments
import TestSupport
import Testing

@Suite("Merging large databases", .tags(.scale), .temporaryDirectory)
struct RowMergeScaleTests {
  /// `ROW_MERGE_ROWS` is the number of rows that do not change.
  private static let rows =
    ProcessInfo.processInfo.environment["ROW_MERGE_ROWS"].flatMap { Int($0) } ?? 20_000

  private static func memory(_ name: String) -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  @Test func `takes a thousand rows of each side`() throws {
    let schema = """
      CREATE TABLE t(id INTEGER PRIMARY KEY, title TEXT NOT NULL, notes TEXT NOT NULL, list INTEGER REFERENCES t(id));
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
      INSERT INTO t SELECT i, 'title ' || i, 'notes of some length, as people write them ' || i, 1 FROM n;
      """
    let databases = try MergedDatabases(schema)
    let step = Self.rows / 1_000
    try databases.edit("ours", "UPDATE t SET title = 'ours' WHERE id % \(step) = 0")
    try databases.edit(
      "theirs", "UPDATE t SET notes = 'theirs' WHERE id % \(step) IN (0, 1) AND id % \(2 * step) < 2")
    let clock = ContinuousClock()
    let copying = try clock.measure { try databases.copy("ours", to: "copy") }
    let before = Self.memory("VmRSS:")
    var outcome = RowMergeOutcome?.none
    let merging = try clock.measure { outcome = try databases.merge(.error, checksUndo: false) }
    print(
      "\(Self.rows) rows, 1,000 changed on each side: merged in \(merging), copied in \(copying),",
      "\(Self.memory("VmHWM:") - before) KiB more at the most")
    #expect(outcome?.conflicts.isEmpty == true)
    let counts = "SELECT sum(title = 'ours'), sum(notes = 'theirs'), count(*) FROM t"
    #expect(try databases.rows("ours", counts) == ["1000 1000 \(Self.rows)"])
  }
}
