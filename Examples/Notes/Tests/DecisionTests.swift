import Foundation
import Testing

@Suite("What a person decides about documents")
struct DecisionTests {
  /// Makes a document in conflict, as two computers and a program that copies files would.
  private static func conflict(_ fixture: ServeFixture) throws {
    try fixture.docpkg("new", "Trip.imageNotes", "--text", "First.\nThird.", "--quiet")
    try fixture.shell(
      """
      cp -a Trip.imageNotes ../Other.imageNotes
      "$0" edit ../Other.imageNotes --text 'First.
      Third.

      And a fourth.' --quiet
      "$0" edit Trip.imageNotes --text 'First!
      Third.' --quiet
      stamp=sync-conflict-20260102-030405-ABCDEFG
      for file in Text Metadata; do
        for name in ../Other.imageNotes/$file.*; do
          end=${name##*.}
          cp -p "$name" "Trip.imageNotes/$file.$stamp.$end"
        done
      done
      """)
  }

  @Test func `a merge has a last line without an end once, and each version names its computer`() async throws
  {
    try await ServeFixture.with(prepare: Self.conflict) { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.id(of: "Trip")
      let answer = try await visitor.ask("GET", "/api/documents/\(id)/conflicts")
      let shown = try JSON(parsing: answer.body)
      // The base is not known, so both first lines are new.
      let merged = "First!\nFirst.\nThird.\n\nAnd a fourth."
      #expect(shown["merge"]["text"].string == merged)
      #expect(shown["merge"]["conflicts"].integer == 1)
      let computers = [
        shown["present"]["computer"].string, shown["versions"].elements.first?["computer"].string,
      ]
      #expect(computers.allSatisfy { $0?.isEmpty == false }, "\(computers)")
      #expect(
        try await visitor.post(
          "/api/documents/\(id)/conflicts/resolve", ["keep": "merge", "look": shown["look"]]
        )
        .status == 200)
      #expect(try await visitor.post("/api/documents/\(id)/save").status == 200)
      #expect(try fixture.text(of: "Trip") == merged)
    }
  }

  @Test func `to keep both makes a document of each other version, once`() async throws {
    try await ServeFixture.with(prepare: Self.conflict) { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.id(of: "Trip")
      let path = "/api/documents/\(id)/conflicts/resolve"
      let look = try JSON(parsing: await visitor.ask("GET", "/api/documents/\(id)/conflicts").body)["look"]
      let answer = try await visitor.post(path, ["keep": "both", "look": look])
      #expect(answer.status == 200)
      #expect(try await visitor.id(of: "Trip (other version)") == answer.value["id"].string)
      // Nothing is in conflict any more, so a second decision about the same versions makes no document.
      _ = try await visitor.post(path, ["keep": "both", "look": look])
      #expect(try fixture.names() == ["Trip", "Trip (other version)"])
      #expect(try fixture.text(of: "Trip") == "First!\nThird.")
      #expect(try fixture.text(of: "Trip (other version)") == "First.\nThird.\n\nAnd a fourth.")
    }
  }

  @Test(arguments: ["present", "both", "merge"])
  func `a decision about versions that were seen leaves one that came later`(keep: String) async throws {
    try await ServeFixture.with(prepare: Self.conflict) { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.id(of: "Trip")
      func look() async throws -> JSON {
        try JSON(parsing: await visitor.ask("GET", "/api/documents/\(id)/conflicts").body)
      }
      let seen = try await look()
      try fixture.shell("echo late >Trip.imageNotes/Text.sync-conflict-20260103-030405-HIJKLMN.txt")
      let path = "/api/documents/\(id)/conflicts/resolve"
      let refused = try await visitor.post(path, ["keep": .string(keep), "look": seen["look"]])
      #expect(refused.status == 409, "\(refused)")
      #expect(try fixture.names() == ["Trip"])
      let now = try await look()
      #expect(now["versions"].elements.count == 2)
      let decision: JSON = ["keep": .string(keep), "look": now["look"]]
      #expect(try await visitor.post(path, decision).status == 200)
      #expect(try fixture.names().count == (keep == "both" ? 3 : 1))
    }
  }

  @Test func `a name that another document has is refused`() async throws {
    try await ServeFixture.with { fixture in
      try fixture.docpkg("new", "Alpha.imageNotes", "--text", "One", "--quiet")
      try fixture.docpkg("new", "Beta.imageNotes", "--text", "Two", "--quiet")
      let visitor = try await Visitor(fixture)
      let id = try await visitor.id(of: "Beta")
      let answer = try await visitor.post("/api/documents/\(id)/rename", ["name": "Alpha"])
      #expect(answer.status == 409)
      #expect(answer.value["error"]["message"].string == "There is a document 'Alpha' already.")
      #expect(try fixture.names() == ["Alpha", "Beta"])
      #expect(try await visitor.post("/api/documents/\(id)/rename", ["name": "Gamma"]).status == 200)
      #expect(try fixture.names() == ["Alpha", "Gamma"])
    }
  }

  @Test func `is listed before the library says that it is ready`() async throws {
    try await ServeFixture.with { fixture in
      let visitor = try await Visitor(fixture)
      // Each document is newer than the last look of the server.
      for number in 1...10 {
        try fixture.docpkg("new", "Note \(number).imageNotes", "--text", "One", "--quiet")
        _ = try await visitor.id(of: "Note \(number)")
        let made = try await visitor.post("/api/library/new", ["name": .string("Own \(number)")]).value
        #expect(try await visitor.id(of: "Own \(number)") == made["id"].string)
      }
    }
  }
}
