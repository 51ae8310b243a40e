import UniformTypes
import Testing

@Suite("A word for a type")
struct UTTypeNamesTests {
  private let catalog = TypeRegistry(database: FreedesktopDatabase(directories: [])).catalog

  @Test func `is an identifier, the end of one, an extension or a MIME type`() {
    let expected: [(String, [UTType])] = [
      ("com.apple.rtfd", [.rtfd]), ("COM.Apple.RTFD", [.rtfd]), ("rtfd", [.rtfd]), (".rtfd", [.rtfd]),
      ("*.RTFD", [.rtfd]), ("package", [.package]), ("item", [.item]), ("image", [.image]),
      ("image/png", [.png]),
      ("md", [.markdown]), ("", []), (".", []), ("a/b", []), ("nothing-like-this", []),
    ]
    for (word, types) in expected { #expect(catalog.types(named: word) == types, "\(word)") }
    #expect(catalog.types(named: "text").first == .text)
    #expect(catalog.types(named: "bundle").first == .bundle)
    #expect(
      catalog.types(named: "epub").map(\.identifier) == ["org.idpf.epub-container", "org.idpf.epub-folder"])
    #expect(catalog.types(named: "key").map(\.identifier).count == 2)
  }

  @Test func `is an extension that was said to be a package's`() throws {
    #expect(catalog.types(named: "qqbook") == [])
    let type = try #require(catalog.types(named: ".QQbook", packages: ["qqbook"]).first)
    #expect(type == catalog.type(filename: "a.qqbook", isDirectory: true, packages: ["qqbook"]))
    #expect(catalog.types(named: "fcpbundle").map(\.isDynamic) == [true])
    #expect(catalog.types(named: "png", packages: ["png"]) == [.png])
  }

  @Test func `that stands for nothing has near ones`() {
    #expect(catalog.names(like: "rtdf").first == "rtfd")
    #expect(catalog.names(like: "pakage").first == "package")
    #expect(catalog.names(like: "com.apple.rtf").first == "com.apple.rtfd")
    #expect(catalog.names(like: "Kye").contains("key"))
    #expect(catalog.names(like: "fcpbundl").first == "fcpbundle")
    for word in ["", "no.such.type", String(repeating: "x", count: 10_000)] {
      #expect(catalog.names(like: word).allSatisfy { $0.utf8.count <= word.utf8.count + 1 })
    }
    #expect(catalog.names(like: "no.such.type") == [])
    #expect(catalog.names(like: "a").count <= 3)
  }

  @Test func `is known for each type of the core table`() {
    let known = catalog.known
    #expect(known.map(\.key) == known.map(\.key).sorted() && known.count == CoreTypes.table.identifiers.count)
    for entry in known { #expect(catalog.types(named: entry.identifier).map(\.key) == [entry.key]) }
  }
}
