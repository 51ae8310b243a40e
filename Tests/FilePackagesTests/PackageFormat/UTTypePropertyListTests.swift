import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A property list of type declarations", .temporaryDirectory)
struct UTTypePropertyListTests {
  private func propertyList(_ body: String) -> Data {
    Data(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>\(body)</dict></plist>
      """.utf8)
  }

  private func declarations(_ data: Data) throws -> (
    exported: [UTType.Declaration], imported: [UTType.Declaration]
  ) {
    try UTType.declarations(in: data, path: "Info.plist")
  }

  private let full = """
    <key>CFBundleName</key><string>Trips</string>
    <key>UTExportedTypeDeclarations</key><array><dict>
      <key>UTTypeIdentifier</key><string>com.example.plist.trip</string>
      <key>UTTypeConformsTo</key><array>
        <string>com.apple.package</string><string>com.example.plist.base</string></array>
      <key>UTTypeTagSpecification</key><dict>
        <key>public.filename-extension</key><array><string>plisttrip</string><string>ptrip</string></array>
        <key>public.mime-type</key><string>application/x-plist-trip</string>
        <key>com.example.code</key><array><string>TRIP</string></array>
      </dict>
      <key>UTTypeDescription</key><string>Trip</string>
      <key>UTTypeReferenceURL</key><string>https://example.com/trip</string>
      <key>UTTypeVersion</key><integer>2</integer>
      <key>UTTypeIconFile</key><string>trip.icns</string>
    </dict></array>
    <key>UTImportedTypeDeclarations</key><array><dict>
      <key>UTTypeIdentifier</key><string>com.example.plist.base</string>
      <key>UTTypeConformsTo</key><string>public.composite-content</string>
      <key>UTTypeVersion</key><string>7</string>
    </dict></array>
    """

  @Test func `declares the types of a file in one line`() throws {
    let url = url("Info.plist")
    try propertyList(full).write(to: url)
    let types = try UTType.declare(contentsOf: url)
    #expect(types.map(\.identifier) == ["com.example.plist.trip", "com.example.plist.base"])
    let trip = try #require(UTType(filenameExtension: "ptrip", conformingTo: .package))
    #expect(trip == types[0] && trip.conforms(to: .compositeContent))
    let code = UTTagClass(rawValue: "com.example.code")
    #expect(UTType(tag: "trip", tagClass: code, conformingTo: nil) == trip)
  }

  @Test func `names the file that it cannot read`() throws {
    let missing = url("none.plist")
    let error = #expect(throws: UTType.DeclarationError.self) { try UTType.declare(contentsOf: missing) }
    #expect(error?.code == .unreadableFile && error?.path == missing.path)
    #expect(error?.detail == "no such file or directory")
    let broken = url("broken.plist")
    try Data("nonsense".utf8).write(to: broken)
    let second = #expect(throws: UTType.DeclarationError.self) { try UTType.declare(contentsOf: broken) }
    #expect(second?.code == .malformedPropertyList)
    #expect(second?.description.contains("broken.plist") == true)
  }

  @Test func `gives every declaration with every key`() throws {
    let list = try declarations(propertyList(full))
    let trip = try #require(list.exported.first)
    #expect(list.exported.count == 1)
    #expect(trip.identifier == "com.example.plist.trip")
    #expect(trip.conformsTo.map(\.identifier) == ["com.apple.package", "com.example.plist.base"])
    #expect(
      trip.tags == [
        .filenameExtension: ["plisttrip", "ptrip"], .mimeType: ["application/x-plist-trip"],
        UTTagClass(rawValue: "com.example.code"): ["TRIP"],
      ])
    #expect(trip.description == "Trip")
    #expect(trip.referenceURL == URL(string: "https://example.com/trip"))
    #expect(trip.version == 2)
    let base = try #require(list.imported.first)
    #expect(base.conformsTo == [.compositeContent])
    #expect(base.tags == [:])
    #expect(base.version == 7)
  }

  @Test func `in binary form is refused with the program that makes XML of it`() throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let data = try encoder.encode(["UTExportedTypeDeclarations": [["UTTypeIdentifier": "com.example.bin"]]])
    let error = #expect(throws: UTType.DeclarationError.self) { try declarations(data) }
    #expect(error?.code == .malformedPropertyList)
    #expect(error?.detail.contains("plistutil -i") == true)
  }

  @Test func `without declarations is empty`() throws {
    let list = try declarations(propertyList(""))
    #expect(list.exported.isEmpty && list.imported.isEmpty)
  }

  @Test(
    arguments: [
      ("<key>UTExportedTypeDeclarations</key><string>x</string>", ""),
      ("<key>UTExportedTypeDeclarations</key><array><string>x</string></array>", ""),
      (
        "<key>UTImportedTypeDeclarations</key><array><dict></dict></array>",
        "'UTTypeIdentifier' of a type of 'UTImportedTypeDeclarations' is missing"
      ),
      (
        """
        <key>UTExportedTypeDeclarations</key><array><dict><key>UTTypeIdentifier</key><string>a.b</string>
        <key>UTTypeConformsTo</key><array><integer>1</integer></array></dict></array>
        """, ""
      ),
    ])
  func `with another shape is refused, and a missing key is named`(body: String, words: String) {
    let error = #expect(throws: UTType.DeclarationError.self) { try declarations(propertyList(body)) }
    #expect(error?.code == .malformedPropertyList && error?.detail.contains(words) == true)
  }

  @Test(arguments: ["", "nonsense", "<plist", "<plist><array/></plist>", "bplist00"])
  func `that is none is refused`(text: String) {
    expect(\UTType.DeclarationError.code, .malformedPropertyList) { try declarations(Data(text.utf8)) }
  }
}
