import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Facts about `fileAttributes` of 1.1, 1.5 and 1.9, checked against Foundation's own dictionary.
@Suite("The attributes of a wrapper", .temporaryDirectory)
struct FileWrapperAttributesTests {
  @Test(arguments: ["x", "F", "l"])
  func `1.5: are those of FileManager, with the same types, for each key that they have`(name: String)
    throws
  {
    try scratch.make("A", ["x": .file([1, 2], mode: 0o4640), "F": ["y": "1"], "l": .link([0x61])])
    let own = try FileWrapper(url: scratch.url("A/" + name)).fileAttributes
    let theirs = try FileManager.default.attributesOfItem(atPath: scratch.path("A/" + name).string)
    for (key, value) in own {
      let expected = try #require(theirs[FileAttributeKey(rawValue: key)], "\(key)")
      let isSame = (expected as? any Equatable).map { isEqual($0, value) }
      #expect(isSame == true, "\(key): \(value), not \(expected)")
    }
    let needed: [FileAttributeKey] = [
      .type, .size, .posixPermissions, .modificationDate, .ownerAccountID, .groupOwnerAccountID,
      .referenceCount, .systemNumber, .systemFileNumber,
    ]
    #expect(needed.filter { own[$0.rawValue] == nil } == [])
    // Programs for Apple's systems ask in this way.
    #expect(own[FileAttributeKey.size.rawValue] as? Int == theirs[.size] as? Int)
    #expect(own[FileAttributeKey.size.rawValue] as? UInt64 == theirs[.size] as? UInt64)
    #expect(own[FileAttributeKey.posixPermissions.rawValue] is NSNumber)
  }

  /// Returns whether both are of the same type and equal.
  private func isEqual<Value: Equatable>(_ expected: Value, _ value: Any) -> Bool {
    type(of: value) == Value.self && value as? Value == expected
  }

  @Test func `1.1: are keyed by raw strings`() {
    #expect(
      Set(FileWrapper("1").fileAttributes.keys) == [
        "NSFileType", "NSFilePosixPermissions", "NSFileModificationDate",
      ])
  }

  @Test func `1.9: take permissions and a date, as whichever number`() throws {
    let wrapper = FileWrapper("1")
    let date = Date(timeIntervalSince1970: 1_234_567_890)
    for mode in [0o600, UInt(0o600), Int16(0o600), NSNumber(value: 0o600)] as [Any] {
      wrapper.fileAttributes = [
        FileAttributeKey.type.rawValue: FileAttributeType.typeRegular,
        FileAttributeKey.posixPermissions.rawValue: mode,
        FileAttributeKey.modificationDate.rawValue: date,
      ]
      #expect(wrapper.fileAttributes[FileAttributeKey.posixPermissions.rawValue] as? UInt == 0o600)
      #expect(wrapper.fileAttributes[FileAttributeKey.modificationDate.rawValue] as? Date == date)
    }
  }

  @Test func `1.2: leave permissions that nobody chose to the umask, and set chosen ones`() throws {
    let chosen = FileWrapper("1")
    chosen.fileAttributes = chosen.fileAttributes
    try FileWrapper("1").write(to: scratch.url("open"), originalContentsURL: nil)
    try chosen.write(to: scratch.url("chosen"), originalContentsURL: nil)
    try scratch.overwrite("reference", "1")
    #expect(try scratch.status("open").mode == scratch.status("reference").mode)
    #expect(try scratch.status("chosen").mode == 0o666)
  }

  @Test func `are a change of the directories above`() throws {
    let top = try scratch.wrapper("A", ["F": ["x": "1"]])
    let child = try #require(top.fileWrappers?["F"]?.fileWrappers?["x"])
    #expect(try SavePlan(saving: top.changesSnapshot(), over: location(of: top)).isEmpty)
    child.fileAttributes[FileAttributeKey.posixPermissions.rawValue] = UInt(0o600)
    #expect(try SavePlan(saving: top.changesSnapshot(), over: location(of: top)).steps.map(\.path) == ["F/x"])
  }

  private func location(of wrapper: FileWrapper) throws -> Location {
    try #require(wrapper.snapshot().root.stored?.location)
  }
}
