import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("JSON for scripts", .tags(.process), .temporaryDirectory)
struct JSONOutputTests {
  private struct Listed: Decodable {
    var path: String
    var name: String
    var title: String?
    var type: String
  }

  private struct Node: Decodable {
    var path: String
    var kind: String
    var size: Int?
    var target: String?
  }

  @Test func `has names that every command takes back, whatever their bytes`() throws {
    // The second name has the very character by which JSON spells the byte of the first.
    try prepare(
      """
      for name in "$(printf 'b\\377')" "$(printf 'c\\364\\217\\273\\277')"; do
        "$0" new D.imageNotes --text old -q
        cp D.imageNotes/Text.txt "D.imageNotes/$name"; ln -s "$name" D.imageNotes/link
        mv D.imageNotes "$name.imageNotes"
      done
      """)
    let listed: [Listed] = try decoded(docpkg("list", ".", "--titles", "--json"))
    #expect(listed.map(\.name) == ["b\u{10FEFF}", "c\u{10FEF4}\u{10FE8F}\u{10FEBB}\u{10FEBF}"])
    for item in listed {
      #expect(item.path == "./\(item.name).imageNotes" && item.title == item.name)
      let children: [Node] = try decoded(docpkg("tree", item.path, "--json"))
      let child = try #require(children.first { $0.path == item.name })
      #expect(children.first { $0.kind == "link" }?.target == item.name)
      #expect(try docpkg("cat", item.path, child.path).output == "old")
      try output("edit", item.path, "--append", "new")
      try output("edit", item.path, "--remove", child.path)
      try output("export", item.path, "\(item.name).zip")
    }
    try prepare(
      """
      test -e "$(printf 'b\\377').zip"; test -e "$(printf 'c\\364\\217\\273\\277').zip"
      """)
  }

  @Test func `has sizes as numbers`() throws {
    struct Side: Decodable, Equatable {
      var kind: String
      var size: Int?
      var format: String?
      var width: Int?
    }
    struct Difference: Decodable {
      var path: String
      var change: String
      var old: Side?
      var new: Side?
    }
    struct Step: Decodable, Equatable {
      var kind: String
      var path: String
      var size: Int?
      var files: Int?
    }
    struct Plan: Decodable { var plan: [Step] }
    let dawn = demo.appending(path: "Dawn.png").path
    try prepare("\"$0\" new D.imageNotes --text one -q; head -c 3000 /dev/zero > zeros")
    let edit = ["edit", "D.imageNotes", "--set", "F/zeros=zeros", "--add-image", dawn]
    let planned: Plan = try decoded(run(tool, edit + ["--dry-run", "--json"]))
    #expect(planned.plan.contains(Step(kind: "write", path: "F/zeros", size: 3000)))
    #expect(planned.plan.contains(Step(kind: "make folder", path: "F")))
    #expect(try run(tool, edit).status == 0)
    let found: [Difference] = try decoded(docpkg("diff", "D.imageNotes", "--json"))
    let image = try #require(found.first { $0.path == "Images/Dawn.png" })
    #expect(image.change == "added" && image.old == nil && image.new?.size == 130_365)
    #expect(image.new?.format == "png" && image.new?.kind == "file" && (image.new?.width ?? 0) > 0)
    #expect(found.first { $0.path == "F/zeros" }?.new == Side(kind: "file", size: 3000))
    let removed: Plan = try decoded(docpkg("edit", "D.imageNotes", "--remove", "F", "--dry-run", "--json"))
    #expect(removed.plan.contains(Step(kind: "remove", path: "F", files: 1)))
    let exported: Plan = try decoded(docpkg("export", "D.imageNotes", "D.zip", "--dry-run", "--json"))
    #expect(exported.plan.contains(Step(kind: "add", path: "D.imageNotes/F/zeros")))
  }

  @Test(.asNobody) func `is whole or absent, and absent with --quiet`() throws {
    let docpkg = try copyTool(into: folder)
    try prepare(
      #"chmod 755 .; mkdir -p P/a P/b; echo x > P/a/x; chmod 0 P/b; "$0" new D.imageNotes --text x -q"#)
    let failed = try shell("setpriv --reuid 65534 --clear-groups \(docpkg) tree P --json")
    #expect(
      failed.status == 2 && failed.output.isEmpty && failed.errors.contains("permission denied"), "\(failed)")
    for arguments in [["diff", "D.imageNotes", "P"], ["conflicts", "D.imageNotes"]] {
      #expect(try run(tool, arguments + ["--json", "--quiet"]).output.isEmpty)
    }
  }

  @Test func `has one type for a document, as all commands print it`() throws {
    try prepare(
      """
      "$0" new D.imageNotes --text x -q
      mkdir a.fcpbundle My.travellog other.travellog; echo x > a.fcpbundle/x
      cp D.imageNotes/Metadata.plist My.travellog; mkdir My.travellog/.docpkg
      sed -i 's/com.filepackages.imagenotes/org.example.travellog/' My.travellog/Metadata.plist
      """)
    let types = [
      "./D.imageNotes": "com.filepackages.imagenotes", "./My.travellog": "org.example.travellog",
      "./a.fcpbundle": "com.apple.package",
    ]
    let lines = try docpkg("list", ".").output
    let listed: [Listed] = try decoded(docpkg("list", ".", "--json"))
    #expect(listed.count == types.count)
    for item in listed {
      let type = try #require(types[item.path])
      #expect(item.type == type && lines.contains("  \(type)  ") && lines.contains("  \(item.path)\n"))
    }
    try expectMessage(["show", "My.travellog"], "another type (org.example.travellog)")
    #expect(try docpkg("info", "My.travellog").output.contains("ContentType: org.example.travellog\n"))
    #expect(try docpkg("info", "a.fcpbundle").output.contains("another program (com.apple.package)"))
  }
}
