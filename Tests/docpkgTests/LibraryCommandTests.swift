import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg with a folder of documents", .tags(.process))
struct LibraryCommandTests {
  /// Makes a library with two documents. The history of one has a child that it no longer has.
  private func made(in folder: FilePath) throws {
    try FileManager.default.createDirectory(
      atPath: folder.appending("N/sub").string, withIntermediateDirectories: true)
    try Data("secret".utf8).write(to: URL(filePath: folder.appending("f").string))
    try Data("list".utf8).write(to: URL(filePath: folder.appending("N/list.txt").string))
    for arguments in [
      ["new", "N/In.imageNotes", "--text", "a"], ["new", "N/sub/Deep.imageNotes", "--text", "b"],
      ["edit", "N/sub/Deep.imageNotes", "--set", "Secret.txt=f"],
      ["edit", "N/sub/Deep.imageNotes", "--remove", "Secret.txt"],
    ] { #expect(try run(tool, arguments, in: folder).status == 0, "\(arguments)") }
  }

  private static let left = "sub/Deep.imageNotes/.docpkg"

  private func leftOut(_ run: Run) throws -> [String] {
    struct Report: Decodable { var leftOut: [String] }
    return try JSONDecoder().decode(Report.self, from: Data(run.output.utf8)).leftOut
  }

  private func hasSecret(_ library: String, in folder: FilePath) throws -> Bool {
    let undone = try docpkg("undo", "\(library)/sub/Deep.imageNotes", in: folder)
    let exists = FileManager.default.fileExists(
      atPath: folder.appending("\(library)/sub/Deep.imageNotes/Secret.txt").string)
    #expect((undone.status == 0) == exists, "\(undone)")
    return exists
  }

  // MARK: Archives and copies

  @Test(arguments: ["zip", "tar.zst"])
  func `exports no history of any document in it, and says so`(format: String) async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let exported = try docpkg("export", "N", "n.\(format)", "--json", in: folder)
      #expect(try leftOut(exported) == [Self.left])
      let listed = try run(bsdtar, ["-tf", "n.\(format)"], in: folder).output
      #expect(!listed.contains(".docpkg") && listed.contains("N/sub/Deep.imageNotes/Text.txt"), "\(listed)")
      #expect(try docpkg("import", "n.\(format)", "M", in: folder).status == 0)
      #expect(try docpkg("verify", "M", in: folder).status == 0)
      #expect(try !hasSecret("M", in: folder))
    }
  }

  @Test func `exports the histories with --with-history, and an import takes them only with that`()
    async throws
  {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let exported = try docpkg("export", "N", "n.zip", "--with-history", "--json", in: folder)
      #expect(try leftOut(exported).isEmpty)
      let listed = try run(bsdtar, ["-tf", "n.zip"], in: folder).output
      for name in ["lock", "tmp"] { #expect(!listed.contains(".docpkg/\(name)"), "\(listed)") }
      let without = try docpkg("import", "n.zip", "M", "--json", in: folder)
      #expect(try leftOut(without).contains(Self.left))
      #expect(try !hasSecret("M", in: folder))
      #expect(try docpkg("import", "n.zip", "W", "--with-history", in: folder).status == 0)
      #expect(try docpkg("verify", "W", in: folder).status == 0)
      #expect(try hasSecret("W", in: folder))
    }
  }

  @Test func `is copied without the histories, or with them`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let plan = try docpkg("copy", "N", "C", "--dry-run", in: folder).output
      #expect(plan.contains("leave out \(Self.left)\n") && plan.contains("list.txt"), "\(plan)")
      let copied = try docpkg("copy", "N", "C", "--json", in: folder)
      #expect(try leftOut(copied) == [Self.left] && copied.errors.contains("--with-history"))
      #expect(try docpkg("verify", "C", in: folder).status == 0)
      #expect(try !hasSecret("C", in: folder))
      let whole = try docpkg("copy", "N", "W", "--with-history", "--json", in: folder)
      #expect(try leftOut(whole).isEmpty && whole.errors.isEmpty)
      #expect(try docpkg("verify", "W", in: folder).status == 0)
      #expect(try hasSecret("W", in: folder))
    }
  }

  // MARK: Looking and changing

  @Test func `is verified document by document`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      let whole = try docpkg("verify", "N", in: folder)
      let lines = whole.output.split(separator: "\n")
      #expect(whole.status == 0 && lines.count == 2, "\(whole)")
      #expect(lines.first?.hasPrefix("N/sub/Deep.imageNotes: whole") == true)
      #expect(lines.last?.hasPrefix("N/In.imageNotes: whole") == true)
      try FileManager.default.removeItem(atPath: folder.appending("N/sub/Deep.imageNotes/Text.txt").string)
      let damaged = try docpkg("verify", "N", "--json", in: folder)
      #expect(damaged.status == 1 && damaged.output.split(separator: "\n").count == 2, "\(damaged)")
      #expect(damaged.output.contains(#""path":"N/sub/Deep.imageNotes""#))
      try FileManager.default.createDirectory(
        atPath: folder.appending("empty").string, withIntermediateDirectories: false)
      let empty = try docpkg("verify", "empty", in: folder)
      #expect(empty.status == 0 && empty.errors == "docpkg: 'empty' has no documents in it\n", "\(empty)")
    }
  }

  @Test(arguments: ["N", "N.old"])
  func `changes files in it, and is no document`(name: String) async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      try FileManager.default.moveItem(
        atPath: folder.appending("N").string, toPath: folder.appending("N2").string)
      try FileManager.default.moveItem(
        atPath: folder.appending("N2").string, toPath: folder.appending(name).string)
      let edited = try docpkg("edit", name, "--set", "todo.txt=f", in: folder)
      #expect(edited.status == 0 && !edited.errors.contains("versions start"), "\(edited)")
      #expect(edited.errors.contains("'\(name)' is a folder, and no document"))
      let within = try docpkg("edit", name, "--set", "sub/Deep.imageNotes/x=f", in: folder)
      #expect(within.status == 2 && within.errors.contains("'\(name)/sub/Deep.imageNotes': edit that one"))
      for command in [["versions", "start", name], ["undo", name]] {
        let refused = try run(tool, command, in: folder)
        #expect(refused.status == 2 && refused.errors.contains("is a folder, and no document"), "\(refused)")
        #expect(!refused.errors.contains("versions start"))
      }
      let listed = try docpkg("list", name, in: folder)
      #expect(listed.status == 0 && listed.output.split(separator: "\n").count == 2, "\(listed)")
      #expect(try docpkg("info", name, in: folder).output == "no metadata: a folder, and no document\n")
      #expect(!FileManager.default.fileExists(atPath: folder.appending("\(name)/Metadata.plist").string))
    }
  }

  @Test func `stays a library whatever is left in it, and a document stays one`() async throws {
    try await withTemporaryDirectory { folder in
      try made(in: folder)
      // A killed edit of a plain folder leaves a hidden folder; another program may have a Metadata.plist.
      try FileManager.default.createDirectory(
        atPath: folder.appending("N/.docpkg").string, withIntermediateDirectories: false)
      let listed = try docpkg("list", "N", in: folder)
      #expect(listed.status == 0 && listed.output.split(separator: "\n").count == 2, "\(listed)")
      try FileManager.default.removeItem(atPath: folder.appending("N/.docpkg").string)
      try Data("other".utf8).write(to: URL(filePath: folder.appending("N/Metadata.plist").string))
      #expect(try docpkg("list", "N", in: folder).status == 0)
      // A document without an extension, and one in which another document lies.
      #expect(try docpkg("export", "N/In.imageNotes", "a.zip", in: folder).status == 0)
      #expect(try docpkg("import", "a.zip", "Plain", in: folder).status == 0)
      #expect(try docpkg("list", "Plain", in: folder).status == 2)
      let outer = try docpkg("edit", "N/In.imageNotes", "--set", "B.rtfd/TXT.rtf=f", in: folder)
      #expect(outer.status == 0 && outer.errors.isEmpty, "\(outer)")
      #expect(try docpkg("verify", "N/In.imageNotes", in: folder).output.hasPrefix("whole"))
    }
  }
}
