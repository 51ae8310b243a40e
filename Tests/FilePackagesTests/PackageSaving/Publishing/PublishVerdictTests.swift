import DurableIO
import FilePackages
import Foundation
import TestSupport
import Testing

/// The function against the table of the documentation, over the whole product of the function's inputs.
@Suite("The verdict of the publisher")
struct PublishVerdictTests {
  private typealias Visible = PublishVerdict.Visible
  private typealias Staged = PublishVerdict.Staged

  /// A row of the table, the inputs that it is about, and the outcome that it tells.
  private struct Row {
    var text: String
    var visible: [Visible]
    var staged: [Staged] = Staged.allCases
    var verdicts: Set<PublishVerdict>
  }

  private static let rows = [
    Row(text: "| the new node | anything |", visible: [.new], verdicts: [.done]),
    Row(
      text: "| the old node, or nothing | anything |", visible: [.old, .nothing],
      verdicts: [.exchange, .place]),
    Row(
      text: "| the new bytes with another mode or date | anything |", visible: [.newBytes], verdicts: [.leave]
    ),
    Row(
      text: "| something else | the new one, or remains of it |", visible: [.other],
      staged: [.new, .remains],
      verdicts: [.exchange]),
    Row(text: "| something else | the old one |", visible: [.other], staged: [.old], verdicts: [.leave]),
    Row(
      text: "| something else | nothing, or another file |", visible: [.other], staged: [.nothing, .other],
      verdicts: [.setAside]),
  ]

  @Test func `is the one of exactly one row of the table, for all inputs`() throws {
    // Another node stays unless the new one still waits in the staging folder (P6).
    for visible in Visible.allCases {
      for staged in Staged.allCases {
        let rows = Self.rows.filter { $0.visible.contains(visible) && $0.staged.contains(staged) }
        let verdict = try PublishVerdict(visible) { () throws(SystemError) in staged }
        #expect(rows.count == 1, "\(visible), \(staged): \(rows.map(\.text))")
        #expect(rows.first?.verdicts.contains(verdict) == true, "\(visible), \(staged): \(verdict)")
        // Only a free name is taken by a rename.
        #expect((verdict == .place) == (visible == .nothing))
      }
    }
  }

  @Test func `needs no look at the staging folder if the row says 'anything'`() throws {
    for row in Self.rows where row.staged.count == Staged.allCases.count {
      for visible in row.visible {
        _ = try PublishVerdict(visible) { () throws(SystemError) in
          Issue.record("\(row.text): looked")
          return .other
        }
      }
    }
  }

  @Test func `has the rows that the documentation has`() throws {
    let page = projectFolder.appending(path: "Docs/Saving.md")
    let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
    let table = try #require(text.range(of: "| Under the name | In `tmp` | Then |"))
    let lines = text[table.upperBound...].split(separator: "\n").dropFirst().prefix { $0.hasPrefix("|") }
    #expect(lines.count == Self.rows.count)
    for (line, row) in zip(lines, Self.rows) { #expect(line.hasPrefix(row.text), "\(line)") }
  }
}
