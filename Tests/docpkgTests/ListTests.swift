import Foundation
import TestSupport
import Testing

@Suite("docpkg list", .tags(.process), .temporaryDirectory)
struct ListTests {
  private struct Listed: Decodable, Equatable {
    var path: String
    var name: String
    var title: String?
    var type: String
    var package: Bool
    var size: Int?
    var modified: String
  }

  private func made() throws {
    for name in ["A.imageNotes", "Trips/B 1.2.imageNotes"] {
      try makeDirectory("Trips")
      try output("new", name, "--text", "x")
    }
    try write("12345", to: "note.txt")
  }

  @Test func `prints a line for each document, or a JSON array`() throws {
    try made()
    let run = try docpkg("list", ".")
    #expect(run.status == 0 && run.errors.isEmpty)
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasSuffix("com.filepackages.imagenotes  ./A.imageNotes"))
    #expect(lines[1].hasSuffix("./Trips/B 1.2.imageNotes"))
    let json = try docpkg("list", ".", "--type", "public.item", "--json")
      .output
    let listed = try JSONDecoder().decode([Listed].self, from: Data(json.utf8))
    #expect(listed.map(\.path) == ["./A.imageNotes", "./Trips/B 1.2.imageNotes", "./note.txt"])
    #expect(listed.map(\.size) == [nil, nil, 5] && listed.map(\.package) == [true, true, false])
    #expect(listed.map(\.name) == ["A", "B 1.2", "note"] && listed[2].type == "public.plain-text")
    #expect(try docpkg("list", ".", "--name", "B*").output.hasSuffix("./Trips/B 1.2.imageNotes\n"))
    try output("new", "Café.imageNotes", "--text", "x")
    #expect(try docpkg("list", ".", "--name", "Caf?.*").output.hasSuffix("./Café.imageNotes\n"))
    #expect(try docpkg("list", ".", "--name", "a.im").output.hasSuffix("  ./A.imageNotes\n"))
    #expect(try docpkg("list", "Trips", "--name", "none", "--json").output == "[]\n")
  }

  @Test func `reads the titles if it is asked to`() throws {
    try made()
    try output("edit", "A.imageNotes", "--title", "Three valleys")
    let run = try docpkg("list", ".", "--titles")
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    let lines = run.output.split(separator: "\n")
    #expect(lines[0].hasSuffix("  Three valleys  ./A.imageNotes"), "\(run.output)")
    #expect(lines[1].hasSuffix("  B 1.2          ./Trips/B 1.2.imageNotes"), "\(run.output)")
    let json = try docpkg("list", ".", "--titles", "--json").output
    let listed = try JSONDecoder().decode([Listed].self, from: Data(json.utf8))
    #expect(listed.map(\.title) == ["Three valleys", "B 1.2"] && listed.map(\.name) == ["A", "B 1.2"])

    try write("torn", to: "A.imageNotes/Metadata.plist")
    let torn = try docpkg("list", ".", "--titles")
    #expect(torn.status == 2 && torn.output.contains("./A.imageNotes\n"))
    #expect(torn.errors.contains("'A.imageNotes'"), "\(torn.errors)")
  }

  @Test func `says that no extension tells a type`() throws {
    try made()
    let run = try docpkg("list", ".", "--type", "com.apple.bookmark")
    #expect(run.status == 0 && run.output.isEmpty)
    #expect(run.errors.contains("The type 'com.apple.bookmark' has no extension"), "\(run.errors)")
  }

  @Test func `says what it cannot search, once the rest is listed`() throws {
    try made()
    let run = try docpkg("list", "Trips", "none")
    #expect(run.status == 2 && run.output.contains("Trips/B 1.2.imageNotes"))
    #expect(run.errors.contains("The folder 'none' could not be searched: no such file"))
    #expect(try docpkg("list", ".", "--type", "no.such.type").status == 64)
  }

  @Test func `fails if the metadata of a document cannot be read, once all are listed`() throws {
    try made()
    try output("new", "Plain", "--text", "x")
    try write("torn", to: "Plain/Metadata.plist")
    for options in [[], ["--json"]] {
      let run = try run(tool, ["list", "."] + options)
      #expect(run.status == 2 && run.errors.contains("'Plain'"), "\(run)")
      for path in ["./Plain", "./A.imageNotes", "./Trips/B 1.2.imageNotes"] {
        #expect(run.output.contains(path))
      }
    }
  }
}
