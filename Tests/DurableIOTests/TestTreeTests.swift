import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A tree as a literal", .temporaryDirectory)
struct TestTreeTests {
  private static let tree: TestTree = [
    "Text.txt": "Hello", "Images": ["7.png": .file([0x89, 0x50], mode: 0o444), "empty": [:]],
    "link": .link(Array("Images/7.png".utf8)), "Größe": "",
  ]

  @Test func `tells what is different, a line for each place`() {
    var other = Self.tree
    #expect(Self.tree.differences(in: other) == "")
    other["Text.txt"] = "Hello!"
    other["Images"] = ["empty": "no directory", "8.png": [:]]
    other["link"] = .link([0xFF])
    #expect(
      Self.tree.differences(in: other) == """
        Images/7.png: missing, expected a file of 2 bytes '\\x89P', mode 444
        Images/8.png: unexpected, found a directory of 0 entries
        Images/empty: expected a directory of 0 entries, found a file of 12 bytes 'no directory', mode 644
        Text.txt: expected a file of 5 bytes 'Hello', mode 644, found a file of 6 bytes 'Hello!', mode 644
        link: expected a symbolic link to 'Images/7.png', found a symbolic link to '\\xFF'
        """)
    #expect(
      TestTree.directory([:]).differences(in: "")
        == "/: expected a directory of 0 entries, found a file of 0 bytes '', mode 644")
  }

  @Test func `is made in a directory that is gone after an error, too`() async throws {
    var path: FilePath?
    await #expect(throws: CancellationError.self) {
      try await withTemporaryDirectory {
        path = $0
        try Self.tree.writeEntries(into: $0, of: PosixDisk())
        throw CancellationError()
      }
    }
    let gone = try #require(path)
    #expect(reason { _ = try PosixDisk().openDirectory(at: gone) } == .noSuchFileOrDirectory)
  }
}
