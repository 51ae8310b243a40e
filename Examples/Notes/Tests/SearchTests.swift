import Foundation
import SystemPackage
import Testing

@Suite("A search in all texts")
struct SearchTests {
  /// The names of the documents that the server finds.
  private func found(_ words: String, _ visitor: Visitor, refreshes: Bool = true) async throws -> [String] {
    if refreshes { #expect(try await visitor.post("/api/library/search/refresh").status == 200) }
    let (status, value) = try await visitor.post("/api/library/search", ["words": .string(words)])
    #expect(status == 200)
    var names: [String] = []
    for id in value["documents"].elements.compactMap(\.string) {
      let answer = try await visitor.post("/api/library/details", ["ids": [.string(id)]])
      names.append(answer.value["details"][id]["title"].string ?? "")
    }
    return names.sorted()
  }

  private func makeDocuments(_ fixture: ServeFixture) throws {
    try fixture.docpkg(
      "new", "Trip.imageNotes", "--text", "Trip\nThree valleys in Zürich, a hut and don't", "--image",
      ServeFixture.picture("Dawn.png"), "--quiet")
    try fixture.docpkg("edit", "Trip.imageNotes", "--caption", "Dawn.png=Sunrise", "--quiet")
    try fixture.docpkg(
      "new", "Sea.imageNotes", "--text", "Sea\nCafe\u{301} Ελλάδα 今日は東京都です", "--quiet")
    try fixture.shell("mkdir Plain.imageNotes; echo 'Plain\nof another program' > Plain.imageNotes/Text.txt")
  }

  @Test(arguments: [
    ("valley", ["Trip"]), ("VALL zur", ["Trip"]), ("zürich", ["Trip"]), ("alleys", []), ("hut sea", []),
    ("sunrise", ["Trip"]), ("don't", ["Trip"]), ("café", ["Sea"]), ("ελλαδα", ["Sea"]), ("東京", ["Sea"]),
    ("another", ["Plain"]), ("\" * NEAR( ^ -", []), ("", []),
  ])
  func `finds words by their beginning, without case and accents`(words: String, names: [String]) async throws
  {
    try await ServeFixture.with(prepare: makeDocuments) { fixture in
      let visitor = try await Visitor(fixture)
      #expect(try await found(words, visitor) == names)
    }
  }

  @Test func `follows all changes, also those that keep the date of the document`() async throws {
    try await ServeFixture.with(prepare: makeDocuments) { fixture in
      let visitor = try await Visitor(fixture)
      #expect(try await found("program", visitor) == ["Plain"])
      try fixture.shell("echo 'and a lighthouse' >> Plain.imageNotes/Text.txt")
      #expect(try await found("lighthouse", visitor) == ["Plain"])
      #expect(try await found("p", visitor) == ["Plain"])
      let id = try await visitor.id(of: "Plain")
      try await visitor.post("/api/documents/\(id)/delete")
      #expect(try await found("lighthouse", visitor) == [])
      _ = try await visitor.makeDocument("New\nwith a compass")
      #expect(try await found("compass", visitor) == ["New"])
    }
  }

  @Test func `has an excerpt of each hit`() async throws {
    try await ServeFixture.with(prepare: makeDocuments) { fixture in
      let visitor = try await Visitor(fixture)
      try await visitor.post("/api/library/search/refresh")
      for (name, words, part) in [
        ("Trip", "hut", "a hut and"), ("Trip", "sunr", "Sunrise"), ("Sea", "東京", "今日は東京都です"),
      ] {
        let id = try await visitor.id(of: name)
        let answer = try await visitor.post(
          "/api/library/search/excerpts", ["words": .string(words), "ids": [.string(id)]])
        let excerpt = try #require(answer.value["excerpts"][id].string)
        #expect(excerpt.contains(part))
        #expect(excerpt.unicodeScalars.allSatisfy { $0.value != 1 && $0.value != 0x200B })
      }
    }
  }

  /// The files of the index, with their permissions.
  private func files(_ fixture: ServeFixture) throws -> String {
    try fixture.shell("cd ../cache/docpkg/serve && stat -c '%a %n' . ./*.search").output
  }

  @Test func `keeps its index for the next run, and makes a lost or damaged one anew`() async throws {
    try await ServeFixture.with(prepare: makeDocuments) { fixture in
      #expect(!FileManager.default.fileExists(atPath: fixture.root.appending("cache").string))
      var visitor = try await Visitor(fixture)
      #expect(try await found("valley", visitor) == ["Trip"])
      #expect(try files(fixture).hasPrefix("700 ."))
      try await fixture.stop()

      // The index has the words before anything is read.
      try await fixture.start()
      visitor = try await Visitor(fixture)
      #expect(try await found("valley", visitor, refreshes: false) == ["Trip"])
      try await fixture.stop()

      for damage in ["rm ./*.search*", "for f in ./*.search; do echo 'no database' > $f; done"] {
        try fixture.shell("cd ../cache/docpkg/serve; \(damage)")
        try await fixture.start()
        visitor = try await Visitor(fixture)
        #expect(try await found("valley", visitor, refreshes: false) == [])
        #expect(try await found("valley", visitor) == ["Trip"])
        try await fixture.stop()
      }
      try await fixture.start()
    }
  }

  @Test func `tells how many documents it has still to read`() async throws {
    try await ServeFixture.with(prepare: { fixture in
      try fixture.shell(
        "for n in $(seq 1 200); do mkdir $n.imageNotes; echo \"Line $n\" > $n.imageNotes/Text.txt; done")
    }) { fixture in
      let visitor = try await Visitor(fixture)
      let events = try await EventReader(visitor, "/api/library/events")
      async let refreshed = visitor.post("/api/library/search/refresh")
      let told = try await waiting {
        var told: [JSON] = []
        while told.last?["read"] != 200 {
          let (name, data) = try events.next()
          if name == "reading" { told.append(data) }
        }
        return told
      }
      #expect(try await refreshed.status == 200)
      #expect(told.allSatisfy { $0["of"] == 200 })
      #expect(told.compactMap { $0["read"].integer } == [0, 64, 128, 192, 200])
      // Nothing changed since then, so nothing is read.
      try await visitor.post("/api/library/search/refresh")
      #expect(try await found("line", visitor, refreshes: false).count == 200)
    }
  }
}
