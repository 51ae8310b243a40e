import Foundation
import Testing

@Suite("Undo of several tabs")
struct UndoTests {
  /// A document, and tabs that write in it.
  private final class Fixture: Sendable {
    let visitor: Visitor
    let path: String
    let page: TextPage
    let watch: ServeFixture

    init(_ serve: ServeFixture, _ text: String) async throws {
      watch = serve
      visitor = try await Visitor(serve)
      let id = try await visitor.makeDocument(text)
      path = "/api/documents/\(id)"
      page = try await TextPage(visitor, id, tab: "watchingtab")
      _ = try await page.text(upTo: 0)
    }

    /// Makes an edit by a tab; returns its number.
    func edit(_ tab: String, _ step: String, seq: Int, at: Int, del: Int = 0, _ ins: String) async throws
      -> Int
    {
      let answer = try await visitor.post(
        path + "/text",
        [
          "tab": .string(tab), "op": .string(UUID().uuidString), "epoch": .string(page.epoch),
          "seq": .number(Double(seq)), "step": .string(step),
          "splices": [[.number(Double(at)), .number(Double(del)), .string(ins)]],
        ])
      return try #require(answer.value["seq"].integer, "\(answer.value)")
    }

    /// Undoes or redoes; false if there was nothing.
    func ask(_ what: String, _ tab: String) async throws -> Bool {
      try await visitor.post(path + "/" + what, ["tab": .string(tab)]).value["did"] == true
    }

    var text: String {
      get async throws {
        #expect(try await visitor.post(path + "/save").status == 200)
        return try watch.text(of: "Note 1")
      }
    }
  }

  @Test func `takes back the own words first, then the newest of another tab`() async throws {
    try await ServeFixture.with { serve in
      let fixture = try await Fixture(serve, "")
      var seq = try await fixture.edit("tabnumber1", "a", seq: 0, at: 0, "AAAA ")
      seq = try await fixture.edit("tabnumber2", "b", seq: seq, at: 5, "BBBB ")
      seq = try await fixture.edit("tabnumber2", "b", seq: seq, at: 10, "bb ")
      seq = try await fixture.edit("tabnumber2", "c", seq: seq, at: 13, "CCCC ")
      #expect(try await fixture.ask("undo", "tabnumber1"))
      #expect(try await fixture.text == "BBBB bb CCCC ")
      #expect(try await fixture.ask("undo", "tabnumber1"))
      #expect(try await fixture.text == "BBBB bb ")
      #expect(try await fixture.ask("redo", "tabnumber1"))
      #expect(try await fixture.ask("redo", "tabnumber1"))
      #expect(try await fixture.text == "AAAA BBBB bb CCCC ")
      #expect(try await !fixture.ask("redo", "tabnumber2"))
      #expect(try await fixture.ask("undo", "tabnumber2"))
      #expect(try await fixture.text == "AAAA CCCC ")
    }
  }

  @Test func `stays when another program edits, and leaves the edit alone`() async throws {
    try await ServeFixture.with { serve in
      let fixture = try await Fixture(serve, "One\n")
      let seq = try await fixture.edit("tabnumber1", "a", seq: 0, at: 3, " two")
      #expect(
        try await fixture.visitor.post(fixture.path + "/title", ["tab": "tabnumber1", "title": "Trip"]).status
          == 200)
      try serve.docpkg("edit", "Note 1.imageNotes", "--append", "three")
      #expect(try await fixture.page.text(upTo: seq + 1) == "One two\nthree\n")
      #expect(try await fixture.ask("undo", "tabnumber1"))
      #expect(try await fixture.text == "One two\nthree\n")
      #expect(try serve.shown("Note 1").title != "Trip")
      #expect(try await fixture.ask("undo", "tabnumber1"))
      #expect(try await fixture.text == "One\nthree\n")
      #expect(try await !fixture.ask("undo", "tabnumber1"))
    }
  }

  @Test(arguments: 0..<4) func `brings each tab's words back one by one, whatever the others do`(seed: Int)
    async throws
  {
    try await ServeFixture.with { serve in
      let fixture = try await Fixture(serve, "-----")
      var generator = SeededGenerator(seed: UInt64(seed))
      let tabs = ["tabnumber1", "tabnumber2", "tabnumber3"]
      var seq = 0
      for step in 0..<30 {
        let number = Int.random(in: 0..<3, using: &generator)
        let length = try await fixture.page.text(upTo: seq).utf16.count
        let at = Int.random(in: 0...length, using: &generator)
        // No tab deletes, so the text has the letters of a tab that it did not take back.
        seq = try await fixture.edit(
          tabs[number], "step\(step / 2)", seq: seq, at: at, ["a", "b", "c"][number])
      }
      let whole = try await fixture.text
      func letters(_ text: String, _ letter: Character) -> Int { text.count { $0 == letter } }
      var counts: [Int] = []
      while letters(try await fixture.text, "a") > 0 {
        #expect(try await fixture.ask("undo", tabs[0]))
        counts.append(letters(try await fixture.text, "a"))
      }
      #expect(counts == counts.sorted(by: >))
      #expect(try await fixture.text == whole.replacing("a", with: ""))
      while letters(try await fixture.text, "b") > 0 { #expect(try await fixture.ask("undo", tabs[1])) }
      #expect(try await fixture.text == whole.replacing("a", with: "").replacing("b", with: ""))
      for _ in counts { #expect(try await fixture.ask("redo", tabs[0])) }
      while try await fixture.ask("redo", tabs[1]) {}
      let back = try await fixture.text
      #expect(back.sorted() == whole.sorted())
      while try await fixture.ask("undo", tabs[2]) {}
      #expect(try await fixture.text == "-----")
    }
  }
}
