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

  @Test func `has the mode of one side and the bytes of the other`() {
    let (base, chmod) = (Self.file("one"), Self.file("one", mode: 0o755))
    let (edit, both) = (Self.file("two", date: 2), Self.file("two", mode: 0o755, date: 2))
    #expect(Self.merge(base, chmod, edit) == .entry(both))
    #expect(Self.merge(base, edit, chmod) == .entry(both))
    #expect(Self.merge(base, chmod, both) == .entry(both))
    #expect(Self.merge(base, both, chmod) == .entry(both))
    // Both edited in the same way, and one changed the mode.
    #expect(Self.merge(base, both, edit) == .entry(both))
    #expect(Self.merge(base, edit, both) == .entry(both))
  }

  @Test func `has each permission that one side gave or took`() {
    let base = Self.file("one")
    for (ours, theirs) in [("one", "one"), ("two", "one"), ("one", "two"), ("two", "two")] {
      let merged = Self.merge(base, Self.file(ours, mode: 0o700), Self.file(theirs, mode: 0o640))
      let text = ours == theirs ? ours : "two"
      #expect(merged == .entry(Self.file(text, mode: 0o700)), "\(ours), \(theirs)")
    }
    #expect(
      Self.merge(Self.folder(), Self.folder(mode: 0o700), Self.folder()) == .entry(Self.folder(mode: 0o700)))
  }

  @Test func `gives no folder the mode of a file`() {
    #expect(
      Self.merge(Self.file("one"), Self.file("one", mode: 0o600), Self.folder()) == .entry(Self.folder()))
    #expect(
      Self.merge(Self.file("one"), Self.folder(), Self.file("one", mode: 0o600)) == .entry(Self.folder()))
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

  @Test func `keeps a folder around a child, or makes a conflict of it`() {
    func differences(_ base: [TreeEntry], _ side: [TreeEntry]) -> [TreeDifference] {
      Set(base + side).map(\.path).sorted().compactMap { path in
        let (old, new) = (base.first { $0.path == path }, side.first { $0.path == path })
        return old == new ? nil : TreeDifference(path: path, old: old, new: new)
      }
    }
    func child(_ text: String) -> TreeEntry {
      var entry = Self.file(text)
      entry.path = "a/b"
      return entry
    }
    let base = [Self.folder(), child("one")]
    for isOurs in [true, false] {
      func merge(_ one: [TreeEntry], _ other: [TreeEntry]) -> EntryMerge {
        let (one, other) = (differences(base, one), differences(base, other))
        return isOurs ? EntryMerge(ours: one, theirs: other) : EntryMerge(ours: other, theirs: one)
      }
      let removed = merge([], [Self.folder(), child("two")])
      #expect(removed.kept == ["a/b"] && removed.conflicts.isEmpty)
      #expect(removed.changes == (isOurs ? [:] : ["a": Self.folder(), "a/b": child("two")]))
      let replaced = merge([Self.file("file")], [Self.folder(), child("two")])
      #expect(replaced.kept == ["a/b"] && replaced.conflicts == ["a"])
      let untouched = merge([Self.file("file")], base)
      #expect(untouched.kept.isEmpty && untouched.conflicts.isEmpty)
      #expect(untouched.changes == (isOurs ? ["a": Self.file("file"), "a/b": nil] : [:]))
    }
  }
}
