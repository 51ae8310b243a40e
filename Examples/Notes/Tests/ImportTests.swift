import Foundation
import SystemPackage
import Testing

@Suite("A file that a page imports")
struct ImportTests {
  private static func files(_ fixture: ServeFixture) throws {
    try fixture.docpkg(
      "new", "../Trip.imageNotes", "--text", "Three valleys", "--image", ServeFixture.picture("Dawn.png"))
    try fixture.shell(
      """
      cd ..
      "$0" export Trip.imageNotes Bundle.textpack --quiet
      mv Bundle.textpack Bundle.zip
      mkdir Peaks Things
      printf '# Peaks\\n\\n![Dawn](Dawn.png)\\n' > Peaks/Peaks.md
      cp '\(ServeFixture.picture("Dawn.png"))' Peaks/
      cp Peaks/Peaks.md Alone.md
      printf '![Far](../Far.png)\\n' > Outside.md
      printf 'no text' > Things/thing.bin
      "$0" export Peaks Peaks.zip --quiet
      "$0" export Things Things.zip --quiet
      printf 'no archive' > Broken.zip
      """)
  }

  private func imports(_ name: String, _ visitor: Visitor, _ fixture: ServeFixture) async throws -> (
    Int, JSON
  ) {
    let bytes = try Data(contentsOf: URL(filePath: fixture.root.appending(name).string))
    let answer = try await visitor.ask("PUT", "/api/library/import?name=\(name)", body: Array(bytes))
    return (answer.status, try JSON(parsing: answer.body))
  }

  @Test(arguments: ["Bundle.zip", "Peaks.zip"])
  func `has its text and its pictures, also in a zip of another program`(name: String) async throws {
    try await ServeFixture.with(prepare: Self.files) { fixture in
      let (status, value) = try await imports(name, try await Visitor(fixture), fixture)
      #expect(status == 200, "\(value)")
      let shown = try fixture.shown(try #require(value["name"].string))
      #expect(shown.text.contains(name == "Peaks.zip" ? "# Peaks" : "Three valleys"))
      #expect(shown.images.map(\.name) == ["Dawn.png"])
    }
  }

  @Test(arguments: [
    ("Things.zip", "The archive 'Things.zip' has no document."), ("Broken.zip", "Broken.zip"),
  ])
  func `is refused by a sentence without paths if no document can be made of it`(name: String, part: String)
    async throws
  {
    try await ServeFixture.with(prepare: Self.files) { fixture in
      let (status, value) = try await imports(name, try await Visitor(fixture), fixture)
      #expect(status == 415 || status == 422)
      let error = value["error"]
      let words = "\(error["message"].string ?? "") \(error["advice"].string ?? "")"
      #expect(words.contains(part))
      #expect(!words.contains("/"), "\(words)")
      #expect(try fixture.names().isEmpty)
      #expect(try !fixture.uploads().isEmpty)
      let folder = try #require(fixture.uploads().first)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test func `keeps the words for a picture outside of it, and names them`() async throws {
    try await ServeFixture.with(prepare: Self.files) { fixture in
      let (status, value) = try await imports("Outside.md", try await Visitor(fixture), fixture)
      #expect(
        status == 200 && value["remarks"].elements.contains { $0.string?.contains("Far.png") == true },
        "\(value)")
      #expect(try fixture.shown("Outside").text == "![Far](../Far.png)\n")
    }
  }

  @Test func `is a text that names the pictures it lacks, or has those that were sent with it`() async throws
  {
    try await ServeFixture.with(prepare: Self.files) { fixture in
      let visitor = try await Visitor(fixture)
      let (status, alone) = try await imports("Alone.md", visitor, fixture)
      #expect(status == 200 && alone["missing"] == ["Dawn.png"], "\(alone)")
      #expect(try fixture.shown("Alone").text == "# Peaks\n\n![Dawn](Dawn.png)\n")

      let picture = Array(try Data(contentsOf: ServeFixture.demo.appending(path: "Dawn.png")))
      var path = "/api/library/import/parts?name=Dawn.png"
      let first = try await visitor.ask("PUT", path, body: picture)
      let parts = try #require(try JSON(parsing: first.body)["parts"].string)
      path = "/api/library/import/parts?name=Other.png&parts=\(parts)"
      #expect(try await visitor.ask("PUT", path, body: picture).status == 200)
      let text = Array(try Data(contentsOf: URL(filePath: fixture.root.appending("Alone.md").string)))
      path = "/api/library/import?name=Both.md&parts=\(parts)"
      let both = try JSON(parsing: try await visitor.ask("PUT", path, body: text).body)
      #expect(both["used"] == ["Dawn.png"] && both["missing"] == .array([]), "\(both)")
      #expect(try fixture.shown("Both").text == "# Peaks\n\n![Dawn](Images/Dawn.png)\n")
      #expect(try fixture.shown("Both").images.map(\.name) == ["Dawn.png"])
      // The pictures are gone with the import, and a word that is none leads nowhere.
      for word in [parts, "../x", "AAAAAAAAAAAA", ""] {
        let path = "/api/library/import?name=Both.md&parts=\(word)"
        #expect(try await visitor.ask("PUT", path, body: text).status == 404, "\(word)")
      }
      let folder = try #require(fixture.uploads().first)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test func `leaves nothing after the end, and after the next start if the server was killed`() async throws
  {
    try await ServeFixture.with { fixture in
      func addPicture() async throws {
        let visitor = try await Visitor(fixture)
        let id = try await visitor.makeDocument("One")
        let picture = Array(try Data(contentsOf: ServeFixture.demo.appending(path: "Dawn.png")))
        let answer = try await visitor.ask("PUT", "/api/documents/\(id)/images?name=Dawn.png", body: picture)
        #expect(answer.status == 200)
      }
      try await addPicture()
      let first = try fixture.uploads()
      #expect(first.count == 1)
      try await fixture.kill()
      #expect(try fixture.uploads() == first)
      try await fixture.start()
      try await addPicture()
      let second = try fixture.uploads()
      #expect(second.count == 1)
      #expect(second != first)
      try await fixture.stop()
      #expect(try fixture.uploads().isEmpty)
      try await fixture.start()
    }
  }
}
