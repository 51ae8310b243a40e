import DurableIO
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg with a folder of documents", .tags(.process), .temporaryDirectory)
struct LibraryCommandTests {
  /// Makes a library with two documents. The history of one has a child that it no longer has.
  private func made() throws {
    try makeDirectory("N/sub")
    try write("secret", to: "f")
    try write("list", to: "N/list.txt")
    for arguments in [
      ["new", "N/In.imageNotes", "--text", "a"], ["new", "N/sub/Deep.imageNotes", "--text", "b"],
      ["edit", "N/sub/Deep.imageNotes", "--set", "Secret.txt=f"],
      ["edit", "N/sub/Deep.imageNotes", "--remove", "Secret.txt"],
    ] { #expect(try run(tool, arguments).status == 0, "\(arguments)") }
  }

  private static let left = "sub/Deep.imageNotes/.docpkg"

  private func leftOut(_ run: Run) throws -> [String] {
    struct Report: Decodable { var leftOut: [String] }
    return try decoded(run, as: Report.self).leftOut
  }

  private func hasSecret(_ library: String) throws -> Bool {
    let undone = try docpkg("undo", "\(library)/sub/Deep.imageNotes")
    let exists = fileExists("\(library)/sub/Deep.imageNotes/Secret.txt")
    #expect((undone.status == 0) == exists, "\(undone)")
    return exists
  }

  // MARK: Verifying

  @Test func `is verified with a document that lost its metadata`() throws {
    try made()
    try FileManager.default.removeItem(atPath: folder.appending("N/In.imageNotes/Metadata.plist").string)
    let run = try docpkg("verify", "N")
    #expect(run.output.contains("N/In.imageNotes: nothing to compare with"), "\(run.output)")
  }

  @Test func `is told to be empty, also if the only document beside it fails`() throws {
    try makeDirectory("Empty")
    try makeDirectory("N")
    try output("new", "N/A.imageNotes", "--text", "a", "--quiet")
    try write("no list", to: "N/A.imageNotes/Metadata.plist")
    let run = try docpkg("verify", "Empty", "N")
    #expect(run.status == 2 && run.errors.contains("'Metadata.plist' is not"), "\(run.errors)")
    #expect(run.errors.contains("'Empty' has no documents in it"), "\(run.errors)")
  }

  // MARK: Archives and copies

  @Test(arguments: ["zip", "tar.zst"])
  func `exports no history of any document in it, and says so`(format: String) throws {
    try made()
    #expect(try leftOut(docpkg("export", "N", "n.\(format)", "--json")) == [Self.left])
    let listed = try run(bsdtar, ["-tf", "n.\(format)"]).output
    #expect(!listed.contains(".docpkg") && listed.contains("N/sub/Deep.imageNotes/Text.txt"), "\(listed)")
    try output("import", "n.\(format)", "M")
    try output("verify", "M")
    #expect(try !hasSecret("M"))
  }

  @Test func `exports the histories with --with-history, and an import takes them only with that`() throws {
    try made()
    #expect(try leftOut(docpkg("export", "N", "n.zip", "--with-history", "--json")).isEmpty)
    let listed = try run(bsdtar, ["-tf", "n.zip"]).output
    for name in ["lock", "tmp"] { #expect(!listed.contains(".docpkg/\(name)"), "\(listed)") }
    #expect(try leftOut(docpkg("import", "n.zip", "M", "--json")).contains(Self.left))
    #expect(try !hasSecret("M"))
    try output("import", "n.zip", "W", "--with-history")
    try output("verify", "W")
    #expect(try hasSecret("W"))
  }

  @Test func `is copied without the histories, or with them`() throws {
    try made()
    let plan = try docpkg("copy", "N", "C", "--dry-run").output
    #expect(plan.contains("leave out \(Self.left)\n") && plan.contains("list.txt"), "\(plan)")
    let copied = try docpkg("copy", "N", "C", "--json")
    #expect(try leftOut(copied) == [Self.left] && copied.errors.contains("--with-history"))
    try output("verify", "C")
    #expect(try !hasSecret("C"))
    let whole = try docpkg("copy", "N", "W", "--with-history", "--json")
    #expect(try leftOut(whole).isEmpty && whole.errors.isEmpty)
    try output("verify", "W")
    #expect(try hasSecret("W"))
  }

  // MARK: Looking and changing

  @Test func `is verified document by document`() throws {
    try made()
    let whole = try docpkg("verify", "N")
    let lines = whole.output.split(separator: "\n")
    #expect(whole.status == 0 && lines.count == 2, "\(whole)")
    #expect(lines.first?.hasPrefix("N/sub/Deep.imageNotes: whole") == true)
    #expect(lines.last?.hasPrefix("N/In.imageNotes: whole") == true)
    try remove("N/sub/Deep.imageNotes/Text.txt")
    let damaged = try docpkg("verify", "N", "--json")
    #expect(damaged.status == 1 && damaged.output.split(separator: "\n").count == 2, "\(damaged)")
    #expect(damaged.output.contains(#""path":"N/sub/Deep.imageNotes""#))
    try makeDirectory("empty")
    let empty = try docpkg("verify", "empty")
    #expect(empty.status == 0 && empty.errors == "docpkg: 'empty' has no documents in it\n", "\(empty)")
  }

  @Test(arguments: ["N", "N.old"])
  func `changes files in it, and is no document`(name: String) throws {
    try made()
    try FileManager.default.moveItem(
      atPath: folder.appending("N").string, toPath: folder.appending("N2").string)
    try FileManager.default.moveItem(
      atPath: folder.appending("N2").string, toPath: folder.appending(name).string)
    let edited = try docpkg("edit", name, "--set", "todo.txt=f")
    #expect(edited.status == 0 && !edited.errors.contains("versions start"), "\(edited)")
    #expect(edited.errors.contains("'\(name)' is a folder, and no document"))
    try expectMessage(
      ["edit", name, "--set", "sub/Deep.imageNotes/x=f"], "'\(name)/sub/Deep.imageNotes': edit that one")
    for command in [["versions", "start", name], ["undo", name]] {
      let refused = try run(tool, command)
      #expect(refused.status == 2 && refused.errors.contains("is a folder, and no document"), "\(refused)")
      #expect(!refused.errors.contains("versions start"))
    }
    #expect(try output("list", name).split(separator: "\n").count == 2)
    #expect(try docpkg("info", name).output == "no metadata: a folder, and no document\n")
    #expect(!fileExists("\(name)/Metadata.plist"))
  }

  @Test func `stays a library whatever is left in it, and a document stays one`() throws {
    try made()
    // A killed edit of a plain folder leaves a hidden folder; another program may have a Metadata.plist.
    try makeDirectory("N/.docpkg")
    #expect(try output("list", "N").split(separator: "\n").count == 2)
    try remove("N/.docpkg")
    try write("other", to: "N/Metadata.plist")
    try output("list", "N")
    // A document without an extension, and one in which another document lies.
    try output("export", "N/In.imageNotes", "a.zip")
    try output("import", "a.zip", "Plain")
    #expect(try docpkg("list", "Plain").status == 2)
    let outer = try docpkg("edit", "N/In.imageNotes", "--set", "B.rtfd/TXT.rtf=f")
    #expect(outer.status == 0 && outer.errors.isEmpty, "\(outer)")
    #expect(try docpkg("verify", "N/In.imageNotes").output.hasPrefix("whole"))
  }
}
