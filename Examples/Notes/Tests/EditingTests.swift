import Foundation
import SystemPackage
import Testing

@Suite("A document that pages edit")
struct EditingTests {
  private func edit(
    _ op: String, tab: String, epoch: String, seq: Int, _ splices: [(at: Int, del: Int, ins: String)]
  ) -> JSON {
    let splices = splices.map { [.number(Double($0.at)), .number(Double($0.del)), .string($0.ins)] as JSON }
    return [
      "tab": .string(tab), "op": .string(op), "epoch": .string(epoch), "seq": .number(Double(seq)),
      "splices": .array(splices),
    ]
  }

  @Test(arguments: 0..<4) func `by two tabs at once is the same in both, and on disk`(seed: Int) async throws
  {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.makeDocument("Three valleys\nand a hut 🏔\n")
      let pages = [
        try await TextPage(visitor, id, tab: "tabnumber1"),
        try await TextPage(visitor, id, tab: "tabnumber2"),
      ]
      for page in pages { #expect(try await page.text(upTo: 0) == "Three valleys\nand a hut 🏔\n") }
      var generator = SeededGenerator(seed: UInt64(seed))
      var last = 0
      for step in 0..<40 {
        // Edits of the first line, made with older and older numbers.
        let seq = max(0, last - Int.random(in: 0...3, using: &generator))
        let at = Int.random(in: 0...4, using: &generator)
        let edit = edit(
          "op\(step)", tab: "tabnumber\(step % 2 + 1)", epoch: pages[0].epoch, seq: seq,
          [(at, Int.random(in: 0...2, using: &generator), "\(step)é"), (at, 1, "")])
        let answer = try await visitor.post("/api/documents/\(id)/text", edit)
        #expect(answer.status == 200, "\(answer.value)")
        last = try #require(answer.value["seq"].integer)
        // The same edit again is the same edit.
        #expect(try await visitor.post("/api/documents/\(id)/text", edit).value["seq"].integer == last)
      }
      #expect(last == 40)
      let texts = [try await pages[0].text(upTo: last), try await pages[1].text(upTo: last)]
      #expect(texts[0] == texts[1])
      #expect(try await visitor.post("/api/documents/\(id)/save").status == 200)
      #expect(try fixture.text(of: "Note 1") == texts[0])
    }
  }

  @Test func `has words of two tabs at one place beside each other, whoever comes first`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      for order in [[1, 2], [2, 1]] {
        let id = try await visitor.makeDocument("End")
        let page = try await TextPage(visitor, id, tab: "tabnumber3")
        #expect(try await page.text(upTo: 0) == "End")
        for tab in order {
          let edit = edit("a", tab: "tabnumber\(tab)", epoch: page.epoch, seq: 0, [(3, 0, " word\(tab)")])
          #expect(try await visitor.post("/api/documents/\(id)/text", edit).status == 200)
        }
        #expect(try await page.text(upTo: 2) == "End word1 word2")
      }
    }
  }

  @Test func `has one run for all pages that come at once, also while the server looks for documents`()
    async throws
  {
    try await ServeFixture.with(prepare: { fixture in
      try fixture.shell(
        "\"$0\" new Trip.imageNotes --text One --quiet; for n in $(seq 500); do cp -r Trip.imageNotes $n.imageNotes; done"
      )
    }) { fixture in
      for _ in 0..<5 {
        let id = try await Visitor(fixture).id(of: "Trip")
        try await fixture.kill()
        try await fixture.start()
        let visitor = try await Visitor(fixture)
        let epochs = try await withThrowingTaskGroup(of: String.self) { group in
          for number in 1...8 {
            group.addTask {
              let page = try await TextPage(visitor, id, tab: "tabnumber\(number)")
              _ = try await page.text(upTo: 0)
              return page.epoch
            }
          }
          return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(epochs.count == 1)
      }
    }
  }

  @Test func `keeps its run under a new name, at once`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let old = try await visitor.makeDocument("One")
      let pages = [try await TextPage(visitor, old, tab: "tabnumber1")]
      _ = try await pages[0].text(upTo: 0)
      let renamed = try await visitor.post("/api/documents/\(old)/rename", ["name": "Other"])
      let new = try #require(renamed.value["id"].string)
      // A page that was hidden meanwhile knows the old name.
      for (number, id) in [new, old].enumerated() {
        let page = try await TextPage(visitor, id, tab: "tabnumber\(number + 2)")
        _ = try await page.text(upTo: 0)
        #expect(page.epoch == pages[0].epoch)
      }
      let edit = edit("a", tab: "tabnumber1", epoch: pages[0].epoch, seq: 0, [(3, 0, " two")])
      #expect(try await visitor.post("/api/documents/\(old)/text", edit).status == 200)
      #expect(try await visitor.post("/api/documents/\(new)/save").status == 200)
      #expect(try fixture.text(of: "Other") == "One two")
      // A new document of the old name is another one.
      let third = try await visitor.post("/api/library/new", ["name": "Note 1", "text": "New"])
      #expect(third.value["id"].string == old)
      let page = try await TextPage(visitor, old, tab: "tabnumber4")
      #expect(try await page.text(upTo: 0) == "New")
    }
  }

  @Test func `of another run is refused`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.makeDocument("One")
      let edit = edit("a", tab: "tabnumber1", epoch: "another", seq: 0, [])
      #expect(try await visitor.post("/api/documents/\(id)/text", edit).status == 409)
    }
  }

  @Test(arguments: [(-1, 0), (0, -1), (4, 0), (0, 4), (1 << 50, 1)])
  func `by a splice that is not in its text is refused`(at: Int, del: Int) async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.makeDocument("One")
      let page = try await TextPage(visitor, id, tab: "tabnumber1")
      _ = try await page.text(upTo: 0)
      let edit = edit("a", tab: "tabnumber1", epoch: page.epoch, seq: 0, [(at, del, "x")])
      #expect([400, 422].contains(try await visitor.post("/api/documents/\(id)/text", edit).status))
      #expect(try await visitor.post("/api/documents/\(id)/save").status == 200)
      #expect(try fixture.text(of: "Note 1") == "One")
    }
  }

  @Test func `has the images, titles and undo of the document`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.makeDocument("One")
      let picture = Array(try Data(contentsOf: ServeFixture.demo.appending(path: "Dawn.png")))
      let added = try await visitor.ask("PUT", "/api/documents/\(id)/images?name=Dawn.png", body: picture)
      let key = try #require(try JSON(parsing: added.body)["key"].string)
      let image = try await visitor.ask("GET", "/api/documents/\(id)/images/\(key)")
      #expect(image.status == 200)
      #expect(image.body == picture)
      #expect(image.field("content-type") == "image/png")
      #expect(
        try await visitor.post("/api/documents/\(id)/images/\(key)/caption", ["caption": "Evening"]).status
          == 200)
      #expect(try await visitor.post("/api/documents/\(id)/title", ["title": "Trip"]).status == 200)
      #expect(try await visitor.post("/api/documents/\(id)/images/\(key)/remove").status == 200)
      #expect(try fixture.shown("Note 1").images.isEmpty)
      #expect(
        try await visitor.post("/api/documents/\(id)/undo", ["tab": "tabnumber1"]).value["did"] == true)
      #expect(try await visitor.post("/api/documents/\(id)/save").status == 200)
      let shown = try fixture.shown("Note 1")
      #expect(shown.images.map(\.name) == ["Dawn.png"])
      #expect(shown.images.first?.caption == "Evening")
      #expect(shown.title == "Trip")
    }
  }

  @Test(arguments: 0..<3) func `by another program has its texts, also with characters of two units`(
    seed: Int
  )
    async throws
  {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.makeDocument("One\n")
      let page = try await TextPage(visitor, id, tab: "tabnumber1")
      var text = try await page.text(upTo: 0)
      var generator = SeededGenerator(seed: UInt64(seed))
      let parts = ["😀", "😁", "é", "line\n", "\r\n", "words ", "\n"]
      for step in 1...12 {
        let old = text
        var scalars = Array(text.unicodeScalars)
        while String(String.UnicodeScalarView(scalars)) == old {
          let start = Int.random(in: 0...scalars.count, using: &generator)
          let end = min(scalars.count, start + Int.random(in: 0...3, using: &generator))
          let part = parts.randomElement(using: &generator) ?? ""
          scalars.replaceSubrange(start..<end, with: Array(part.unicodeScalars))
        }
        text = String(String.UnicodeScalarView(scalars))
        try await waiting { [text] in
          try Data(text.utf8).write(
            to: URL(filePath: fixture.documents.string + "/Note 1.imageNotes/Text.txt"), options: .atomic)
        }
        #expect(Array(try await page.text(upTo: step).utf16) == Array(text.utf16))
      }
    }
  }
}
