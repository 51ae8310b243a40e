import UniformTypes
import Testing

@Suite("A dynamic type")
struct UTTypeDynamicTests {
  @Test func `conforms to what was asked for`() throws {
    for supertype in [UTType.data, .package, .content, .image] {
      let type = try #require(UTType(filenameExtension: "qqzz-none", conformingTo: supertype))
      #expect(type.isDynamic)
      #expect(type.identifier.hasPrefix("dyn."))
      #expect(type.conforms(to: supertype))
      #expect(type.supertypes == supertype.supertypes.union([supertype]))
      #expect(type.preferredFilenameExtension == "qqzz-none")
      #expect(type.localizedDescription == nil)
    }
  }

  @Test func `conforms to item if nothing was asked for`() throws {
    let type = try #require(UTType(tag: "qqzz-none", tagClass: .filenameExtension, conformingTo: nil))
    #expect(type.supertypes == [.item])
  }

  @Test func `is the only one of its tag and supertype`() {
    #expect(UTType(filenameExtension: "QQZZ-None") == UTType(filenameExtension: "qqzz-none"))
    #expect(
      UTType(filenameExtension: "qqzz-none") != UTType(filenameExtension: "qqzz-none", conformingTo: .image))
    let types = UTType.types(tag: "qqzz-none", tagClass: .filenameExtension, conformingTo: .data)
    #expect(types == [UTType(filenameExtension: "qqzz-none")])
  }

  @Test func `is the same type again from its identifier`() throws {
    let custom = UTTagClass(rawValue: "e")
    for (tag, tagClass) in [
      ("qqzz-none", UTTagClass.filenameExtension), ("ünï cödé.x", .filenameExtension),
      ("application/x-qqzz+none", .mimeType), ("any thing / at all", custom),
    ] {
      let type = try #require(UTType(tag: tag, tagClass: tagClass, conformingTo: .package))
      let again = try #require(UTType(type.identifier.uppercased()))
      #expect(again == type)
      #expect(again.identifier == type.identifier)
      #expect(again.tags == [tagClass: [tag]])
      #expect(again.supertypes == type.supertypes)
    }
  }

  @Test func `has an identifier that other processes write in the same way`() {
    #expect(UTType(filenameExtension: "qqzz")?.identifier == "dyn.muahc4l2piaha5lcnruwgltemf2gc")
    #expect(UTType("dyn.muahc4l2piaha5lcnruwgltemf2gc")?.tags == [.filenameExtension: ["qqzz"]])
  }

  @Test func `may conform to another dynamic type`() throws {
    let outer = try #require(UTType(filenameExtension: "qqzz-outer", conformingTo: .package))
    let inner = try #require(UTType(filenameExtension: "qqzz-inner", conformingTo: outer))
    #expect(inner.conforms(to: .package))
    #expect(UTType(inner.identifier)?.conforms(to: outer) == true)
  }

  @Test func `skips a supertype that this process does not know`() throws {
    let tag = try #require(TypeTag("qqzz", tagClass: .filenameExtension))
    let identifier = try #require(DynamicType(tag, conformingTo: "com.example.elsewhere")).identifier
    let type = try #require(UTType(identifier))
    #expect(type.supertypes == [])
    #expect(type.conforms(to: type))
  }

  @Test func `of a MIME type conforms to what the MIME type says`() throws {
    let text = try #require(UTType(mimeType: "text/x-qqzz-none"))
    #expect(text.conforms(to: .plainText))
    #expect(UTType(mimeType: "image/x-qqzz-none")?.conforms(to: .image) == true)
    #expect(UTType(mimeType: "audio/x-qqzz-none")?.conforms(to: .audio) == true)
    #expect(UTType(mimeType: "video/x-qqzz-none")?.conforms(to: .movie) == true)
    #expect(UTType(mimeType: "font/x-qqzz-none")?.conforms(to: .font) == true)
    #expect(UTType(mimeType: "application/x-qqzz-none")?.supertypes == [.data, .item])
    let pipe = UTType(tag: "inode/x-qqzz-none", tagClass: .mimeType, conformingTo: nil)
    #expect(pipe?.supertypes == [.item])
    let loose = UTType(tag: "application/x-qqzz-none", tagClass: .mimeType, conformingTo: nil)
    #expect(loose?.supertypes == [.data, .item])
  }

  @Test func `of a MIME type does not contradict what was asked for`() throws {
    let type = try #require(UTType(mimeType: "text/x-qqzz-none", conformingTo: .package))
    #expect(type.supertypes == [.package, .directory, .item])
  }

  @Test(
    arguments: [
      "dyn.", "dyn", "dyn.a", "dyn.1", "dyn.muahc4l2piaha5lcnruwgltemf2gca",
      "dyn.muahc4l2piaha5lcnruwgltemf2gd",
      "dyn.muahc4l2piaha5lcnruwgltemf2gc=", "dyn.mua hc4l2piaha5lcnruwgltemf2gc", "dyn.age80443dr",
      "dyn.ünï",
    ])
  func `is nil from a malformed identifier`(identifier: String) {
    #expect(UTType(identifier) == nil)
  }

  @Test(
    arguments: [
      "e\0x", "e\0x\0public.data\0", "x\0x\0", "e\0\0public.data", "e\0.x\0", "e\0a/b\0", "e\0X\0",
      "e\0x\0PUBLIC.data",
      "m\0text\0", "m\0text/x;a=b \0", ":public.mime-type\0text/x\0", ":public.filename-extension\0x\0",
    ])
  func `is nil from a text that it would not write`(text: String) {
    #expect(UTType("dyn." + Base32.encode(text.utf8)) == nil)
  }

  @Test func `is nil from bytes that are not UTF-8`() {
    #expect(UTType("dyn." + Base32.encode([0x65, 0, 0xFF, 0])) == nil)
  }
}

@Suite("Base 32")
struct Base32Tests {
  // The examples of RFC 4648, section 10.
  @Test(
    arguments: zip(
      ["", "f", "fo", "foo", "foob", "fooba", "foobar"],
      ["", "my", "mzxq", "mzxw6", "mzxw6yq", "mzxw6ytb", "mzxw6ytboi"]))
  func `is that of the RFC`(plain: String, encoded: String) {
    #expect(Base32.encode(plain.utf8) == encoded)
    #expect(Base32.decode(encoded.utf8) == Array(plain.utf8))
  }

  @Test func `reads back every byte`() {
    let bytes = (0...255).map(UInt8.init)
    #expect(Base32.decode(Base32.encode(bytes).utf8) == bytes)
    #expect(Base32.decode("A".utf8) == nil)
  }
}
