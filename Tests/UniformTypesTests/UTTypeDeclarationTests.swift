import UniformTypes
import FoundationEssentials
import TestSupport
import Testing

@Suite("A declaration of a type")
struct UTTypeDeclarationTests {
  private let registry = TypeRegistry()

  private func declare(
    exported: [UTType.Declaration] = [], imported: [UTType.Declaration] = []
  ) throws(UTType.DeclarationError) -> [UTType] {
    try registry.declare(exported: exported, imported: imported)
  }

  private func types(_ fileExtension: String, _ supertype: UTType? = nil) -> [String] {
    registry.catalog.types(tag: fileExtension, tagClass: .filenameExtension, conformingTo: supertype)
      .map(\.identifier)
  }

  @Test func `makes the type known to the whole process`() throws {
    let address = try #require(URL(string: "https://example.com/note"))
    let type = try UTType.declare(
      exported: .init(
        identifier: "com.example.uttype.Note", conformsTo: [.package, .compositeContent],
        filenameExtensions: ["utTypeNote", "uttn"], mimeTypes: ["application/x-uttype-note"],
        description: "Note", referenceURL: address, version: 3))
    #expect(type.identifier == "com.example.uttype.Note")
    #expect(UTType("com.example.uttype.note")?.identifier == "com.example.uttype.Note")
    #expect(type.supertypes == [.package, .directory, .item, .compositeContent, .content])
    #expect(type.preferredFilenameExtension == "utTypeNote")
    #expect(type.preferredMIMEType == "application/x-uttype-note")
    #expect(type.localizedDescription == "Note")
    #expect(type.referenceURL == address)
    #expect(type.version == 3)
    #expect(type.isDeclared)
    #expect(UTType(filenameExtension: "UTTN", conformingTo: .package) == type)
    #expect(UTType(mimeType: "application/x-uttype-note", conformingTo: .package) == type)
    #expect(try JSONDecoder().decode([UTType].self, from: JSONEncoder().encode([type])) == [type])
  }

  @Test(arguments: [
    "", "com.example.a b", "com.example/a", "com.example_a", "com.example.ü", "com.example\0",
  ])
  func `needs an identifier of letters, digits, hyphens and dots`(identifier: String) {
    let declaration = UTType.Declaration(identifier: identifier, conformsTo: [.data])
    let expected = #expect(throws: UTType.DeclarationError.self) { try declare(exported: [declaration]) }
    #expect(expected?.code == .invalidIdentifier)
    #expect(expected?.identifier == identifier)
    #expect(throws: UTType.DeclarationError.self) { try declare(imported: [declaration]) }
  }

  @Test(arguments: ["public.mine", "dyn.mine", "com.apple.mine", "PUBLIC.mine"])
  func `cannot own what is reserved`(identifier: String) {
    let declaration = UTType.Declaration(identifier: identifier, conformsTo: [.data])
    let error = #expect(throws: UTType.DeclarationError.self) { try declare(exported: [declaration]) }
    #expect(error?.code == .reservedIdentifier)
    #expect(error?.description.contains(identifier) == true)
  }

  @Test func `may use what is reserved for others, but nothing dynamic`() throws {
    let apple = UTType.Declaration(identifier: "com.apple.uttype.other", conformsTo: [.data])
    #expect(try declare(imported: [apple]).map(\.identifier) == ["com.apple.uttype.other"])
    let dynamic = UTType.Declaration(identifier: "dyn.mine", conformsTo: [.data])
    expect(\UTType.DeclarationError.code, .reservedIdentifier) { try declare(imported: [dynamic]) }
  }

  @Test func `refuses a tag that could not be looked up`() {
    let dotted = UTType.Declaration(identifier: "com.example.x", conformsTo: [], filenameExtensions: [".x"])
    let mime = UTType.Declaration(identifier: "com.example.x", conformsTo: [], mimeTypes: ["x"])
    for declaration in [dotted, mime] {
      expect(\UTType.DeclarationError.code, .invalidTag) { try declare(exported: [declaration]) }
    }
  }

  @Test func `that is exported wins over an imported one and over the core table`() throws {
    let imported = UTType.Declaration(
      identifier: "com.example.x", conformsTo: [.image], filenameExtensions: ["old"])
    let exported = UTType.Declaration(
      identifier: "com.example.X", conformsTo: [.audio], filenameExtensions: ["new"])
    _ = try declare(imported: [imported])
    #expect(types("old") == ["com.example.x"])
    _ = try declare(exported: [exported])
    #expect(types("old").first?.hasPrefix("dyn.") == true)
    #expect(types("new") == ["com.example.X"])
    #expect(registry.catalog.conforms("com.example.x", to: "public.audio"))
    #expect(!registry.catalog.conforms("com.example.x", to: "public.image"))

    let markdown = UTType.Declaration(
      identifier: "net.daringfireball.markdown", conformsTo: [.text], filenameExtensions: ["markdown"])
    _ = try declare(exported: [markdown])
    #expect(types("md").first?.hasPrefix("dyn.") == true)
    #expect(types("markdown") == ["net.daringfireball.markdown"])
  }

  @Test func `that is imported does not change a core type`() throws {
    let declaration = UTType.Declaration(
      identifier: "public.png", conformsTo: [.audio], filenameExtensions: ["sound"])
    #expect(try declare(imported: [declaration]) == [.png])
    #expect(types("png") == ["public.png"])
    #expect(types("sound").first?.hasPrefix("dyn.") == true)
    #expect(!registry.catalog.conforms("public.png", to: "public.audio"))
  }

  @Test func `takes an extension before the core table does, exported before imported`() throws {
    _ = try declare(
      exported: [.init(identifier: "com.example.mine", conformsTo: [.data], filenameExtensions: ["png"])],
      imported: [.init(identifier: "com.example.theirs", conformsTo: [.data], filenameExtensions: ["PNG"])])
    #expect(types("png") == ["com.example.mine", "com.example.theirs", "public.png"])
    #expect(types("png", .image) == ["public.png"])
  }

  @Test func `may be repeated but not contradicted`() throws {
    // Another declaration of the type changes nothing (TR2).
    let first = UTType.Declaration(identifier: "com.example.x", conformsTo: [.data])
    let second = UTType.Declaration(identifier: "com.example.x", conformsTo: [.package])
    let types = try declare(exported: [first, first])
    #expect(try declare(exported: [first]) == [types[0]])
    #expect(types == [types[0], types[0]])
    expect(\UTType.DeclarationError.code, .conflictingDeclaration) { try declare(exported: [second]) }
    _ = try declare(imported: [second])
    #expect(registry.catalog.conforms("com.example.x", to: "public.data"))
  }

  @Test func `that is imported twice stays as it was first`() throws {
    _ = try declare(imported: [.init(identifier: "com.example.x", conformsTo: [.data])])
    _ = try declare(imported: [.init(identifier: "com.example.x", conformsTo: [.package])])
    #expect(registry.catalog.supertypes("com.example.x") == [.data, .item])
  }

  @Test func `may name supertypes that are declared later`() throws {
    let base = UTType(exportedAs: "com.example.uttype.later")
    _ = try declare(exported: [.init(identifier: "com.example.x", conformsTo: [base])])
    #expect(registry.catalog.supertypes("com.example.x") == [])
    _ = try declare(exported: [.init(identifier: base.identifier, conformsTo: [.package])])
    #expect(registry.catalog.supertypes("com.example.x") == [base, .package, .directory, .item])
  }

  @Test func `cannot close a circle`() throws {
    let a = UTType(exportedAs: "com.example.uttype.circle-a")
    let b = UTType(exportedAs: "com.example.uttype.circle-b")
    _ = try declare(exported: [.init(identifier: a.identifier, conformsTo: [b])])
    for parent in [a, b] {
      expect(\UTType.DeclarationError.code, .circularConformance) {
        try declare(exported: [.init(identifier: b.identifier, conformsTo: [parent])])
      }
    }
    #expect(registry.catalog.entry(b.key) == nil)
  }

  @Test func `that fails takes the whole list with it`() {
    let good = UTType.Declaration(identifier: "com.example.good", conformsTo: [.data])
    let bad = UTType.Declaration(
      identifier: "com.example.bad", conformsTo: [.init(exportedAs: "com.example.bad")])
    #expect(throws: UTType.DeclarationError.self) { try declare(exported: [good], imported: [bad]) }
    #expect(registry.catalog.entry("com.example.good") == nil)
  }

  @Test func `replaces a type that was only named`() throws {
    let named = registry.type(naming: "com.example.x", conformingTo: .image)
    #expect(registry.catalog.supertypes(named.key).contains(.image))
    _ = try declare(imported: [.init(identifier: "com.example.x", conformsTo: [.package])])
    #expect(registry.catalog.supertypes(named.key) == [.package, .directory, .item])
  }

  @Test func `is refused in a sentence`() {
    let wrong = UTType.Declaration(identifier: "com.example.x", conformsTo: [], filenameExtensions: [".x"])
    let error = #expect(throws: UTType.DeclarationError.self) { try declare(exported: [wrong]) }
    #expect(error?.description == "The type 'com.example.x' cannot be declared: '.x' is not a valid tag.")
  }
}

@Suite("The registry of types")
struct TypeRegistryTests {
  @Test func `serves many tasks at once`() async throws {
    let registry = TypeRegistry()
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          let declaration = UTType.Declaration(
            identifier: "com.example.t\(number % 50)", conformsTo: [.package],
            filenameExtensions: ["t\(number % 50)"])
          guard let type = try registry.declare(exported: [declaration]).first else { return false }
          _ = registry.type(naming: "com.example.shared", conformingTo: type)
          let catalog = registry.catalog
          let found = catalog.types(
            tag: "t\(number % 50)", tagClass: .filenameExtension, conformingTo: .package)
          return found == [type] && catalog.conforms("com.example.shared", to: type.key)
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(registry.catalog.supertypes("com.example.shared").count == 50 + 3)
  }

  @Test func `answers from one moment`() throws {
    // A later declaration does not change the answers of a catalog (TR1).
    let registry = TypeRegistry()
    let before = registry.catalog
    _ = try registry.declare(exported: [.init(identifier: "com.example.x", conformsTo: [.data])])
    #expect(before.entry("com.example.x") == nil)
    #expect(registry.catalog.entry("com.example.x") != nil)
  }
}
