import Foundation
import SystemPackage
import Testing

@Suite("The library's documents")
struct LibraryTests {
  /// The names of the pinned documents, as a page gets them.
  private func pinned(_ visitor: Visitor) async throws -> [String] {
    let events = try await EventReader(visitor, "/api/library/events")
    return try await waiting {
      var names: [String] = []
      while true {
        let (event, data) = try events.next()
        if event == "ready" { return names.sorted() }
        names += data["items"].elements.filter { $0["pinned"] == true }.compactMap { $0["name"].string }
      }
    }
  }

  @Test func `stay pinned when the server starts again, and under a new name`() async throws {
    try await ServeFixture.with(prepare: { fixture in
      for name in ["One", "Two", "Three"] {
        try fixture.docpkg("new", "\(name).imageNotes", "--text", name, "--quiet")
      }
    }) { fixture in
      var visitor = try await Visitor(fixture)
      for name in ["One", "Two"] {
        let id = try await visitor.id(of: name)
        #expect(try await visitor.post("/api/documents/\(id)/pin", ["pinned": true]).status == 200)
      }
      #expect(try await pinned(visitor) == ["One", "Two"])
      let two = try await visitor.id(of: "Two")
      try await visitor.post("/api/documents/\(two)/pin", ["pinned": false])
      let one = try await visitor.id(of: "One")
      try await visitor.post("/api/documents/\(one)/rename", ["name": "First"])
      try await fixture.stop()

      try await fixture.start()
      visitor = try await Visitor(fixture)
      #expect(try await pinned(visitor) == ["First"])
      let events = try await EventReader(visitor, "/api/library/events")
      try await waiting { while try events.next().name != "ready" {} }
      try fixture.shell("mv First.imageNotes Last.imageNotes")
      try await waiting { while try events.next().name != "changes" {} }
      #expect(try await pinned(visitor) == ["Last"])
      #expect(try await visitor.post("/api/documents/\(two)x/pin", ["pinned": true]).status == 404)
    }
  }

  @Test(arguments: [
    ("zip", true, "application/zip", "Alps.zip"), ("zip", false, "application/zip", "Alps.zip"),
    ("markdown", true, "application/zip", "Alps.zip"),
    ("markdown", false, "text/markdown; charset=utf-8", "Alps.md"),
    ("html", true, "text/html; charset=utf-8", "Alps.html"),
  ])
  func `are downloaded as other programs read them`(
    format: String, hasImage: Bool, type: String, name: String
  ) async throws {
    try await ServeFixture.with(prepare: { fixture in
      let image = hasImage ? ["--image", ServeFixture.picture("Dawn.png")] : []
      try fixture.shell(
        (["\"$0\" new Alps.imageNotes --quiet --text 'Three & more valleys'"] + image).joined(separator: " "))
    }) { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.id(of: "Alps")
      let answer = try await visitor.ask("GET", "/api/documents/\(id)/export?as=\(format)")
      #expect(answer.status == 200)
      #expect(answer.field("content-type") == type)
      #expect(answer.field("content-disposition")?.hasSuffix("filename*=UTF-8''\(name)") == true)
      let file = fixture.root.appending(name)
      try Data(answer.body).write(to: URL(filePath: file.string))
      switch format {
      case "html":
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("Three &amp; more valleys") && text.contains("data:image/png;base64,"))
      case "markdown" where !hasImage:
        #expect(String(decoding: answer.body, as: UTF8.self) == "Three & more valleys")
      default:
        let listing = try fixture.shell("python3 -m zipfile -l '\(file)'").output
        #expect(listing.contains(format == "markdown" ? "Alps/Alps.md" : "Alps.imageNotes/Text.txt"))
        #expect(listing.contains("Dawn.png") == hasImage)
      }
      #expect(answer.field("left-out") == nil)
      #expect(try await visitor.ask("GET", "/api/documents/\(id)/export?as=exe").status == 404)
    }
  }

  @Test(arguments: ["zip", "markdown", "html"])
  func `are downloaded with the names of the children that the format cannot hold`(
    format: String
  ) async throws {
    try await ServeFixture.with(prepare: { fixture in
      try fixture.docpkg("new", "Alps.imageNotes", "--text", "Valleys", "--quiet")
      try fixture.shell("echo drawn > 'Alps.imageNotes/Sketch é.bin'")
    }) { fixture in
      let visitor = try await Visitor(fixture)
      let id = try await visitor.id(of: "Alps")
      let answer = try await visitor.ask("GET", "/api/documents/\(id)/export?as=\(format)")
      #expect(answer.status == 200)
      let leftOut = answer.field("left-out")?.removingPercentEncoding ?? ""
      #expect(leftOut.contains("'Sketch é.bin' is left out") == (format != "zip"), "\(leftOut)")
    }
  }
}
