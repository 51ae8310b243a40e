import Foundation
import TestSupport
import Testing

@Suite("The types that docpkg list knows", .tags(.process), .temporaryDirectory)
struct ListedTypesTests {
  private struct Listed: Decodable {
    var path: String
    var name: String
    var type: String
    var package: Bool
  }

  private func listed(_ arguments: String...) throws -> [Listed] {
    let run = try run(tool, ["list", ".", "--json"] + arguments)
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    return try decoded(run)
  }

  /// Makes a directory with a text and a picture in it.
  private func makePackage(_ name: String) throws {
    for inner in ["inside.txt", "inside.png"] { try write("x", to: "\(name)/\(inner)") }
  }

  @Test func `have the packages that people have, and nothing within them is a document`() throws {
    let known = [
      "a.key": "com.apple.iwork.keynote.key", "a.pages": "com.apple.iwork.pages.pages",
      "a.numbers": "com.apple.iwork.numbers.numbers", "a.band": "com.apple.garageband.project",
      "a.logicx": "com.apple.logicx.project", "a.scriv": "com.literatureandlatte.scrivener3.scriv",
      "a.xcodeproj": "com.apple.xcode.project", "a.xcworkspace": "com.apple.dt.document.workspace",
      "a.playground": "com.apple.dt.playground", "a.playgroundbook": "com.apple.playgroundbook",
      "a.xcassets": "com.apple.dt.assetcatalog", "a.xcdatamodeld": "com.apple.xcode.model.data-version",
      "a.bundle": "com.apple.generic-bundle", "a.framework": "com.apple.framework",
      "a.imovielibrary": "com.apple.imovielibrary",
      "a.photoslibrary": "com.apple.photos.library", "a.dSYM": "com.apple.xcode.dsym",
      "a.sparsebundle": "com.apple.disk-image-sparse-bundle", "a.docset": "com.apple.xcode.docset",
      "a.oo3": "com.omnigroup.omnioutliner.oo3-package", "a.workflow": "com.apple.automator-workflow",
      "a.rtfd": "com.apple.rtfd", "a.textbundle": "org.textbundle.package",
    ]
    for name in known.keys { try makePackage(name) }
    for name in ["a.fcpbundle", "a.utm"] { try makePackage(name) }
    try makePackage("en.lproj")
    let found = try listed()
    #expect(found.allSatisfy { $0.package })
    for item in found where known[String(item.path.dropFirst(2))] != nil {
      #expect(item.type == known[String(item.path.dropFirst(2))] && item.name == "a", "\(item)")
    }
    let names = Set(known.keys).union(["a.fcpbundle", "a.utm"])
    #expect(Set(found.map { String($0.path.dropFirst(2)) }) == names)
    let all = try listed("--type", "public.item")
    #expect(
      Set(all.map { String($0.path.dropFirst(2)) })
        == names.union(["en.lproj/inside.txt", "en.lproj/inside.png"]))
  }

  @Test func `are asked for by an extension, a short name or a MIME type`() throws {
    for name in ["a.rtfd", "b.epub", "c.framework"] { try makePackage(name) }
    for name in ["d.epub", "e.png", "f.txt"] { try write("x", to: name) }
    let expected = [
      "rtfd": ["./a.rtfd"], ".RTFD": ["./a.rtfd"], "*.rtfd": ["./a.rtfd"], "com.apple.rtfd": ["./a.rtfd"],
      "package": ["./a.rtfd", "./b.epub"], "bundle": ["./c.framework"], "epub": ["./b.epub", "./d.epub"],
      "image": ["./e.png"], "image/png": ["./e.png"], "text": ["./f.txt"],
    ]
    for (type, paths) in expected {
      #expect(try listed("--type", type).map(\.path) == paths, "\(type)")
    }
  }

  @Test func `do not include a word for none`() throws {
    let run = try docpkg("list", ".", "--type", "rtdf")
    #expect(run.status == 64 && run.output.isEmpty)
    #expect(run.errors.contains("There is no type 'rtdf'.\n"), "\(run.errors)")
    #expect(run.errors.contains("'docpkg list --help'"))
  }

  @Test func `do not make a document of a folder in which an edit was cut short`() throws {
    try write("x", to: "Plain/a.txt")
    try write("", to: "Plain/.docpkg/lock")
    try write("x", to: ".docpkg-1234.new/b.txt")
    try output("new", "Mine", "--text", "x")
    #expect(try listed().map(\.path) == ["./Mine"])
    #expect(try listed("--type", "public.item").map(\.path) == ["./Mine", "./Plain/a.txt"])
  }
}
