import AppleDocuments
import SystemPackage
import TestSupport
import Testing

@Suite("Files by Foundation's names", .temporaryDirectory)
struct PlacesTests {
  @Test func `a bookmark leads to its file or folder`() throws {
    let path = folder
    let folder = URL(fileURLWithPath: path.string, isDirectory: true)
    let file = folder.appendingPathComponent("a b.txt")
    try Data("x".utf8).write(to: file)
    for url in [file, folder] {
      #expect(url.startAccessingSecurityScopedResource())
      defer { url.stopAccessingSecurityScopedResource() }
      let bookmark = try url.bookmarkData(
        options: .withSecurityScope, includingResourceValuesForKeys: nil, relativeTo: nil)
      var isStale = true
      let resolved = try URL(
        resolvingBookmarkData: bookmark, options: .withSecurityScope, relativeTo: nil,
        bookmarkDataIsStale: &isStale)
      #expect(resolved == url && !isStale)
    }
  }

  @Test func `a bookmark of a file that is gone throws`() throws {
    let file = url("a.txt")
    try Data().write(to: file)
    let bookmark = try file.bookmarkData()
    try FileManager.default.removeItem(at: file)
    var isStale = false
    expect(\CocoaError.code, .fileReadNoSuchFile) {
      try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale)
    }
    #expect(throws: CocoaError.self) { _ = try file.bookmarkData() }
    expect(\CocoaError.code, .fileReadCorruptFile) {
      try URL(resolvingBookmarkData: Data("text".utf8), bookmarkDataIsStale: &isStale)
    }
  }

  @Test func `a bookmark is stale if a folder is where a file was`() throws {
    let place = url("a")
    try Data().write(to: place)
    let bookmark = try place.bookmarkData()
    try FileManager.default.removeItem(at: place)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    var isStale = false
    let url = try URL(resolvingBookmarkData: bookmark, bookmarkDataIsStale: &isStale)
    #expect(isStale && url.hasDirectoryPath)
  }

  // The trash and the folders of groups are those of the user who runs the tests.
  @Test func `an item in the trash has another place`() throws {
    let file = url("Test-\(UUID()).txt")
    try Data("x".utf8).write(to: file)
    var place: NSURL?
    try FileManager.default.trashItem(at: file, resultingItemURL: &place)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    let there = try #require(place as URL?)
    #expect(try Data(contentsOf: there) == Data("x".utf8))
    let note = there.deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("info/\(there.lastPathComponent).trashinfo")
    for url in [there, note] { try FileManager.default.removeItem(at: url) }
    #expect(throws: (any Error).self) {
      try FileManager.default.trashItem(at: file.appendingPathExtension("gone"), resultingItemURL: nil)
    }
  }

  @Test func `a group has one folder`() throws {
    let identifier = "org.example.\(UUID())"
    let group = try #require(
      FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier))
    #expect(group.lastPathComponent == identifier)
    var isDirectory: ObjCBool = false
    #expect(
      FileManager.default.fileExists(atPath: group.path, isDirectory: &isDirectory) && isDirectory.boolValue)
    #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier) == group)
    try FileManager.default.removeItem(at: group)
  }

  @Test(arguments: ["", ".", "..", "../other", "a/b", ".hidden"])
  func `a group's identifier is a file name`(_ identifier: String) {
    #expect(FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: identifier) == nil)
  }
}
