import UniformTypes
import Testing

@Suite("A word for a type")
struct UTTypeNamesTests {
  private let catalog = TypeRegistry().catalog

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

  @Test func `is an extension of a package whose type has no identifier`() {
    #expect(catalog.types(named: ".FCPbundle") == [catalog.type(filename: "a.fcpbundle", isDirectory: true)])
    #expect(catalog.types(named: "fcpbundle").map(\.isDynamic) == [true])
  }

  @Test func `is known for each type of the core table`() {
    let known = catalog.known
    #expect(known.map(\.key) == known.map(\.key).sorted() && known.count == CoreTypes.table.keys.count)
    for entry in known { #expect(catalog.types(named: entry.identifier).map(\.key) == [entry.key]) }
  }
}
