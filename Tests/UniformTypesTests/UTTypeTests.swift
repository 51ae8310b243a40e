import UniformTypes
import FoundationEssentials
import Testing

@Suite("A uniform type")
struct UTTypeTests {
  @Test func `is found by its identifier in any case and keeps the declared spelling`() {
    #expect(UTType("public.png") == .png)
    #expect(UTType("PUBLIC.Png")?.identifier == "public.png")
    #expect(UTType("PUBLIC.Png")?.hashValue == UTType.png.hashValue)
  }

  @Test(arguments: ["", "png", "public", "public.", "com.example.nobody", "public.png ", "é"])
  func `is nil for an identifier that nobody knows`(identifier: String) {
    #expect(UTType(identifier) == nil)
  }

  @Test func `conforms to itself and to every ancestor`() {
    #expect(UTType.png.conforms(to: .png))
    #expect(UTType.png.conforms(to: .image))
    #expect(UTType.png.conforms(to: .data))
    #expect(UTType.png.conforms(to: .item))
    #expect(UTType.png.conforms(to: .content))
    #expect(!UTType.png.conforms(to: .jpeg))
    #expect(!UTType.image.conforms(to: .png))
  }

  @Test func `is no subtype and no supertype of itself`() {
    #expect(!UTType.png.isSubtype(of: .png))
    #expect(!UTType.png.isSupertype(of: .png))
    #expect(UTType.png.isSubtype(of: .item))
    #expect(UTType.item.isSupertype(of: .png))
    #expect(!UTType.item.isSubtype(of: .png))
  }

  @Test func `lists its supertypes without itself`() {
    #expect(UTType.png.supertypes == [.image, .data, .item, .content])
    #expect(UTType.item.supertypes == [])
    #expect(UTType.package.supertypes == [.directory, .item])
  }

  @Test func `is either declared or dynamic`() throws {
    let dynamic = try #require(UTType(filenameExtension: "qqzz-none"))
    let named = UTType(exportedAs: "com.example.uttype.either")
    for type in [UTType.png, .markdown, .item, dynamic, named] {
      #expect(type.isDeclared != type.isDynamic)
    }
    #expect(UTType.png.isDeclared)
    #expect(dynamic.isDynamic)
  }

  @Test func `is public by its prefix, which no dynamic type has`() throws {
    #expect(UTType.png.isPublic)
    #expect(!UTType.pdf.isPublic)
    let dynamic = try #require(UTType(filenameExtension: "qqzz-none"))
    #expect(!dynamic.isPublic)
  }

  @Test func `prints its identifier and says what it is`() {
    #expect("\(UTType.png)" == "public.png")
    #expect(UTType.png.localizedDescription == "PNG image")
    #expect(UTType.png.referenceURL == nil)
    #expect(UTType.png.version == nil)
    #expect(UTTagClass.mimeType.description == "public.mime-type")
  }

  @Test func `is written and read as its identifier`() throws {
    let types: [UTType] = [.png, .package, try #require(UTType(filenameExtension: "qqzz-none"))]
    let data = try PropertyListEncoder().encode(types)
    #expect(try PropertyListDecoder().decode([String].self, from: data) == types.map(\.identifier))
    #expect(try PropertyListDecoder().decode([UTType].self, from: data) == types)
    let json = try JSONEncoder().encode([UTTagClass.filenameExtension])
    #expect(String(decoding: json, as: UTF8.self) == #"["public.filename-extension"]"#)
  }

  @Test func `is not read from an identifier that nobody declared`() {
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([UTType].self, from: Data(#"["com.example.nobody"]"#.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("not the documented error: \(String(describing: error))")
      return
    }
    #expect(context.debugDescription.contains("com.example.nobody"))
    #expect(UTType("com.example.nobody") == nil)
  }
}

@Suite("A type that is only named")
struct NamedTypeTests {
  @Test func `is usable, and known from then on`() {
    #expect(UTType("com.example.uttype.named") == nil)
    let type = UTType(exportedAs: "com.example.uttype.Named", conformingTo: .package)
    #expect(type.identifier == "com.example.uttype.Named")
    #expect(type.isDeclared)
    #expect(type.conforms(to: .directory))
    #expect(type.tags == [:])
    #expect(type.preferredFilenameExtension == nil)
    #expect(UTType("com.example.uttype.named") == type)
  }

  @Test func `says nothing without a supertype`() {
    let type = UTType(importedAs: "com.example.uttype.bare")
    #expect(type.supertypes == [])
    #expect(type.conforms(to: type))
    #expect(!type.conforms(to: .item))
  }

  @Test func `has the supertypes of all calls, in whatever order`() {
    let early = UTType(importedAs: "com.example.uttype.sum")
    _ = UTType(importedAs: "com.example.uttype.sum", conformingTo: .content)
    _ = UTType(exportedAs: "com.example.uttype.sum", conformingTo: .data)
    #expect(early.supertypes == [.content, .data, .item])
  }

  @Test func `is the known type if there is one`() {
    #expect(UTType(exportedAs: "public.png", conformingTo: .package) == .png)
    #expect(!UTType.png.conforms(to: .package))
    #expect(UTType(importedAs: "net.daringfireball.markdown").preferredFilenameExtension == "md")
  }

  @Test func `never conforms to itself by way of others`() {
    let a = UTType(exportedAs: "com.example.uttype.a")
    let b = UTType(exportedAs: "com.example.uttype.b", conformingTo: a)
    _ = UTType(exportedAs: "com.example.uttype.a", conformingTo: b)
    _ = UTType(exportedAs: "com.example.uttype.a", conformingTo: a)
    #expect(a.supertypes == [])
    #expect(b.isSubtype(of: a))
    #expect(!a.isSubtype(of: b))
  }

  @Test(arguments: ["", "two words", "dyn.not-base-32", "a\0b", "ünï"])
  func `is not nil even with a wrong identifier`(identifier: String) {
    let type = UTType(exportedAs: identifier, conformingTo: .data)
    #expect(type.identifier == identifier)
    #expect(type.isDeclared != type.isDynamic)
  }

  @Test func `does not make an empty or a malformed dynamic identifier known`() {
    #expect(UTType(exportedAs: "dyn.not-base-32", conformingTo: .data).supertypes == [])
    #expect(UTType("dyn.not-base-32") == nil)
    #expect(UTType(exportedAs: "", conformingTo: .data).supertypes == [])
    #expect(UTType("") == nil)
  }
}
