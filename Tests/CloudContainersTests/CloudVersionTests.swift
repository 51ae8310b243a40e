import CloudContainers
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import Testing

@Suite("A version of a document in a container")
struct CloudVersionTests {
  private func version() throws -> CloudVersion {
    let document = try #require(CloudDocumentID(String(repeating: "0a", count: 16)))
    let root = TreeRoot(page: BlobName(of: Data("page".utf8)), totals: TreeTotals(entries: 2, bytes: 10))
    let json = #"""
      {"conflicts":[],"date":1800000000123,"device":"d1","deviceName":"laptop","document":"\#(document)","format":2,\#
      "isDeleted":false,"isPackage":true,"name":"Travel\/Trip.imageNotes",\#
      "root":"\#(Data(root.bytes).base64EncodedString())","sequence":7,"type":"com.example.notes"}
      """#
    return try CloudVersion(decoding: Data(json.utf8))
  }

  @Test func `is the same after it was stored and read`() throws {
    let version = try version()
    #expect(try CloudVersion(decoding: version.encoded()) == version)
    #expect(try StoredVersion(decoding: version.encoded()).version == version)
  }

  @Test func `has the same bytes, and so the same digest, after each reading`() throws {
    let text = String(decoding: try version().encoded(), as: UTF8.self)
    // Each millisecond of a second in the years 1970, 2004, 2027 and 2312.
    for second in [0, 1_080_000_000_000, 1_800_000_000_000, 10_800_000_000_000] {
      for date in second..<second + 1_000 {
        let bytes = Data(text.replacing("1800000000123", with: "\(date)").utf8)
        #expect(try CloudVersion(decoding: bytes).encoded() == bytes, "\(date)")
      }
    }
  }

  @Test(arguments: [
    ("\"sequence\":7", "\"sequence\":0"), ("\"sequence\":7", "\"sequence\":-1"),
    ("Travel\\/Trip.imageNotes", "..\\/Trip.imageNotes"), ("Travel\\/Trip.imageNotes", "\\/etc\\/passwd"),
    ("Travel\\/Trip.imageNotes", ".docpkg-cloud\\/lock"), ("Travel\\/Trip.imageNotes", "Travel\\/\\u0000"),
    ("\"device\":\"d1\"", "\"device\":\"..\\/d1\""), ("\"date\":1800000000123", "\"date\":-5"),
    ("0a0a0a", "0A0A0A"), ("\"conflicts\":[]", "\"conflicts\":[\"ab\"]"), ("\"format\":2", "\"format\":3"),
    ("\"document\":\"0", "\"document\":\""), ("\"document\":\"0a0", "\"document\":\"../"),
    ("\"root\":\"", "\"root\":\"AAAA"),
    ("\"date\"", "\"contentDevice\":\"\(String(repeating: "d", count: 256))\",\"date\""),
  ])
  func `is refused with a value that no version has`(_ old: String, _ new: String) throws {
    let text = String(decoding: try version().encoded(), as: UTF8.self)
    let changed = text.replacingOccurrences(of: old, with: new)
    try #require(changed != text, "\(text)")
    #expect(throws: CloudVersion.Problem.self) { try CloudVersion(decoding: Data(changed.utf8)) }
  }

  @Test func `names the device of its content only if another device made it`() throws {
    var version = try version()
    #expect(version.contentDeviceName == "laptop")
    #expect(try !String(decoding: version.encoded(), as: UTF8.self).contains("contentDevice"))
    version.contentDevice = "desktop"
    let again = try CloudVersion(decoding: version.encoded())
    #expect(again == version && again.contentDeviceName == "desktop" && again.deviceName == "laptop")
  }

  @Test func `is refused if it is cut short, too large, or another thing`() throws {
    let bytes = try version().encoded()
    for count in 0..<bytes.count {
      #expect(throws: CloudVersion.Problem.self) { try CloudVersion(decoding: bytes.prefix(count)) }
    }
    #expect(throws: CloudVersion.Problem.tooLarge) {
      try CloudVersion(decoding: Data(repeating: 32, count: CloudVersion.maximumSize + 1))
    }
    #expect(throws: CloudVersion.Problem.self) { try CloudVersion(decoding: Data("[1]".utf8)) }
  }
}
