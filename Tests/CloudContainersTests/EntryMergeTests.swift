import CloudContainers
import DurableIO
import FilePackages
import Testing

@Suite("A merge of entries")
struct EntryMergeTests {
  private static func file(_ text: String, mode: UInt16 = 0o644, date: Int64 = 1) -> TreeEntry {
    let bytes = Array(text.utf8)
    let content = FileContent(
      size: UInt64(bytes.count), hash: ContentHash(of: bytes),
      modified: FileTime(seconds: date, nanoseconds: 0))
    return TreeEntry("a", .file(content), mode: mode)
  }

  private static func folder(mode: UInt16 = 0o755) -> TreeEntry { TreeEntry("a", .directory, mode: mode) }

  /// The outcome for the one child `a`.
  private enum Outcome: Equatable {
    case conflict, removed
    case entry(TreeEntry)
    case kept(TreeEntry)
  }

  private static func merge(_ base: TreeEntry?, _ ours: TreeEntry?, _ theirs: TreeEntry?) -> Outcome {
    func differences(_ side: TreeEntry?) -> [TreeDifference] {
      side == base ? [] : [TreeDifference(path: "a", old: base, new: side)]
    }
    let merge = EntryMerge(ours: differences(ours), theirs: differences(theirs))
    if merge.conflicts == ["a"] { return .conflict }
    let result: TreeEntry? = if let change = merge.changes["a"] { change } else { theirs }
    guard let result else { return .removed }
    return merge.kept == ["a"] ? .kept(result) : .entry(result)
  }

  @Test func `keeps a child that one side removed and the other one changed, and says so`() {
    let (base, edit) = (Self.file("one"), Self.file("two", date: 2))
    #expect(Self.merge(base, nil, edit) == .kept(edit))
    #expect(Self.merge(base, edit, nil) == .kept(edit))
    #expect(Self.merge(base, nil, Self.folder()) == .kept(Self.folder()))
    // A mode and a date are no change of the child.
    for change in [Self.file("one", mode: 0o755), Self.file("one", date: 3)] {
      #expect(Self.merge(base, nil, change) == .removed)
      #expect(Self.merge(base, change, nil) == .removed)
    }
    #expect(Self.merge(Self.folder(), nil, Self.folder(mode: 0o700)) == .removed)
  }

  @Test func `is a conflict if both changed the bytes in different ways`() {
    #expect(Self.merge(Self.file("one"), Self.file("two"), Self.file("three")) == .conflict)
    #expect(Self.merge(nil, Self.file("two"), Self.file("three")) == .conflict)
    #expect(Self.merge(nil, Self.file("two"), Self.file("two", date: 2)) == .entry(Self.file("two", date: 2)))
  }

  @Test func `has the date that one side gave a file`() {
    #expect(
      Self.merge(Self.file("one"), Self.file("one", date: 2), Self.file("one"))
        == .entry(Self.file("one", date: 2)))
    #expect(
      Self.merge(Self.file("one"), Self.file("one"), Self.file("one", date: 2))
        == .entry(Self.file("one", date: 2)))
  }
}
