import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg list", .tags(.process))
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

  private func made(in folder: FilePath) throws {
    for name in ["A.imageNotes", "Trips/B 1.2.imageNotes"] {
      try FileManager.default.createDirectory(
        atPath: folder.appending("Trips").string, withIntermediateDirectories: true)
      #expect(try docpkg("new", name, "--text", "x", in: folder).status == 0)
    }
    try Data("12345".utf8).write(to: URL(filePath: folder.appending("note.txt").string))
  }

  @Test func `prints a line for each document, or a JSON array`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let run = try docpkg("list", ".", in: folder)
      #expect(run.status == 0 && run.errors.isEmpty)
      let lines = run.output.split(separator: "\n")
      #expect(lines.count == 2 && lines[0].hasSuffix("com.filepackages.imagenotes  ./A.imageNotes"))
      #expect(lines[1].hasSuffix("./Trips/B 1.2.imageNotes"))
      let json = try docpkg("list", ".", "--type", "public.item", "--json", in: folder)
        .output
      let listed = try JSONDecoder().decode([Listed].self, from: Data(json.utf8))
      #expect(listed.map(\.path) == ["./A.imageNotes", "./Trips/B 1.2.imageNotes", "./note.txt"])
      #expect(listed.map(\.size) == [nil, nil, 5] && listed.map(\.package) == [true, true, false])
      #expect(listed.map(\.name) == ["A", "B 1.2", "note"] && listed[2].type == "public.plain-text")
      #expect(
        try docpkg("list", ".", "--name", "B*", in: folder).output.hasSuffix("./Trips/B 1.2.imageNotes\n"))
      #expect(try docpkg("list", ".", "--name", "a.im", in: folder).output.hasSuffix("  ./A.imageNotes\n"))
      #expect(try docpkg("list", "Trips", "--name", "none", "--json", in: folder).output == "[]\n")
    }
  }

  @Test func `reads the titles if it is asked to`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      #expect(try docpkg("edit", "A.imageNotes", "--title", "Three valleys", in: folder).status == 0)
      let run = try docpkg("list", ".", "--titles", in: folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      let lines = run.output.split(separator: "\n")
      #expect(lines[0].hasSuffix("  Three valleys  ./A.imageNotes"), "\(run.output)")
      #expect(lines[1].hasSuffix("  B 1.2          ./Trips/B 1.2.imageNotes"), "\(run.output)")
      let json = try docpkg("list", ".", "--titles", "--json", in: folder).output
      let listed = try JSONDecoder().decode([Listed].self, from: Data(json.utf8))
      #expect(listed.map(\.title) == ["Three valleys", "B 1.2"] && listed.map(\.name) == ["A", "B 1.2"])

      try Data("torn".utf8).write(to: URL(filePath: folder.appending("A.imageNotes/Metadata.plist").string))
      let torn = try docpkg("list", ".", "--titles", in: folder)
      #expect(torn.status == 2 && torn.output.contains("./A.imageNotes\n"))
      #expect(torn.errors.contains("'A.imageNotes'"), "\(torn.errors)")
    }
  }

  @Test func `says that no extension tells a type`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let run = try docpkg("list", ".", "--type", "com.apple.bookmark", in: folder)
      #expect(run.status == 0 && run.output.isEmpty)
      #expect(run.errors.contains("The type 'com.apple.bookmark' has no extension"), "\(run.errors)")
    }
  }

  @Test func `says what it cannot search, once the rest is listed`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let run = try docpkg("list", "Trips", "none", in: folder)
      #expect(run.status == 2 && run.output.contains("Trips/B 1.2.imageNotes"))
      #expect(run.errors.contains("The folder 'none' could not be searched: no such file"))
      #expect(try docpkg("list", ".", "--type", "no.such.type", in: folder).status == 64)
    }
  }

  @Test func `fails if the metadata of a document cannot be read, once all are listed`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      #expect(try docpkg("new", "Plain", "--text", "x", in: folder).status == 0)
      try Data("torn".utf8).write(to: URL(filePath: folder.appending("Plain/Metadata.plist").string))
      for options in [[], ["--json"]] {
        let run = try run(tool, ["list", "."] + options, in: folder)
        #expect(run.status == 2 && run.errors.contains("'Plain'"), "\(run)")
        for path in ["./Plain", "./A.imageNotes", "./Trips/B 1.2.imageNotes"] {
          #expect(run.output.contains(path))
        }
      }
    }
  }
}
