import DurableIO
import FilePackages
import FoundationEssentials
import Testing

@Suite("A row of a save")
struct ChangeTests {
  private static func row(_ path: PackagePath, _ text: String) -> NotedChild {
    let bytes = Array(text.utf8)
    let child = ChildSummary(
      path: path, kind: .file, mode: 0o644, size: UInt64(bytes.count), content: ContentHash(of: bytes))
    return NotedChild(child: child, modified: FileTime(seconds: 1, nanoseconds: 0))
  }

  private static func folder(_ path: PackagePath) -> NotedChild {
    let child = ChildSummary(path: path, kind: .directory, mode: 0, size: 0, content: .empty)
    return NotedChild(child: child, modified: FileTime(seconds: 0, nanoseconds: 0))
  }

  private static func status(_ text: String, _ kind: FileKind = .file) -> FileStatus {
    let time = FileTime(seconds: 2, nanoseconds: 0)
    let identity = FileIdentity(
      device: 1, inode: 7, size: UInt64(text.utf8.count), modified: time, changed: time)
    return FileStatus(kind: kind, mode: 0o755, identity: identity, links: 1, user: 0, group: 0)
  }

  /// Makes rows of the texts that the save noted, found and leaves at the places.
  private static func changes(_ rows: [(PackagePath, noted: String?, found: String?, new: String?)])
    -> Changes
  {
    var changes = Changes()
    for (path, noted, found, new) in rows {
      changes[path].work = .node
      changes[path].noted = noted.map { row(path, $0) }
      changes[path].found = found.map { Entry(status($0), content: ContentHash(of: Array($0.utf8))) }
      changes[path].new = new.map { Entry(row(path, $0)) }
    }
    return changes
  }

  @Test func `adds the child that comes to the sums and to the notes, less the one that was noted`() {
    let changes = Self.changes([
      ("came", nil, nil, "1"), ("went", "22", "22", nil), ("edited", "333", "333", "4444"),
      ("theirs", "5", "66", "777"), ("foreign", nil, "8", nil),
    ])
    var expected = ContentSummary()
    for (path, text) in [("came", "1"), ("edited", "4444"), ("theirs", "777")] {
      expected.add(Self.row(PackagePath(path), text).child)
    }
    for (path, text) in [("went", "22"), ("edited", "333"), ("theirs", "5")] {
      expected.subtract(Self.row(PackagePath(path), text).child)
    }
    #expect(changes.summary == expected)
    var ledger = Ledger()
    let state = changes.state(from: .none, to: .new)
    ledger.note(state)
    let table = ledger.table(of: state.revision)
    #expect(Set((table?.rows ?? []).map(\.child.path.string)) == ["came", "edited", "theirs"])
    #expect(table?.row(at: "theirs") == Self.row("theirs", "777"))
  }

  @Test func `changes no sums without an operation if the save counts the children again`() {
    var changes = Changes()
    changes["taken"] = Change("taken", noted: Self.row("taken", "1"), new: Self.row("taken", "2"))
    #expect(changes.summary != ContentSummary())
    changes.recount([Self.row("taken", "2"), Self.row("other", "3")])
    #expect(changes.summary == ContentSummary())
    let state = changes.state(from: .none, to: .new)
    #expect(state.replacesEarlier && state.isComplete && state.rows.count == 2)
  }

  @Test func `gives the version before what the save found, and earlier ones what was noted`() throws {
    let changes = Self.changes([
      ("a", nil, nil, "new"), ("b", "1", "1", "2"), ("c", "1", "theirs", "2"), ("d", nil, "theirs", "2"),
      ("e", "1", nil, "2"), ("f", "1", "1", nil),
    ])
    let rows = changes.versionRows
    let hashes = ["1", "theirs"].map { ContentHash(of: Array($0.utf8)) }
    #expect(rows.map(\.path.string) == ["a", "b", "c", "d", "e", "f"])
    #expect(rows.map(\.node?.content) == [nil, hashes[0], hashes[1], hashes[1], nil, hashes[0]])
    for index in [0, 1, 5] { #expect(rows[index].earlier == rows[index].node) }
    #expect(rows[2].earlier == Entry(unkept: Self.row("c", "1")))
    #expect(rows[3].earlier == nil)
    #expect(rows[4].earlier == Entry(unkept: Self.row("e", "1")))
  }

  @Test func `has lost what another program changed if the save only takes it over`() {
    var changes = Changes()
    changes["edited"] = Change("edited", noted: Self.row("edited", "1"), new: Self.row("edited", "2"))
    changes["added"] = Change("added", new: Self.row("added", "2"))
    changes["removed"] = Change("removed", noted: Self.row("removed", "1"))
    changes["folder"] = Change("folder", new: Self.folder("folder"))
    changes["unknown"] = Change("unknown", new: Self.row("unknown", "2"))
    changes["unknown"].isNotedKnown = false
    changes["same"] = Change("same", noted: Self.row("same", "1"), new: Self.row("same", "1"))
    let rows = Dictionary(uniqueKeysWithValues: changes.versionRows.map { ($0.path.string, $0) })
    #expect(Set(rows.keys) == ["edited", "added", "removed", "folder", "unknown"])
    for name in ["edited", "removed"] {
      #expect(rows[name]?.node == Entry(unkept: Self.row(PackagePath(name), "1")))
    }
    #expect(rows["added"]?.node == nil && rows["unknown"]?.node == Entry(unkept: nil))
    #expect(rows["folder"]?.node?.kind == .directory && rows["folder"]?.earlier == nil)
  }

  @Test func `has no lost child in a version that has a file in the folder's place`() {
    var changes = Self.changes([("Sub", nil, "theirs", nil)])
    changes["Sub"].noted = Self.folder("Sub")
    changes["Sub/x"] = Change("Sub/x", noted: Self.row("Sub/x", "1"))
    let rows = changes.versionRows
    #expect(rows.map(\.node?.kind) == [.file, nil])
    #expect(rows[0].earlier == Entry(unkept: Self.folder("Sub")))
    #expect(rows[1].earlier == Entry(unkept: Self.row("Sub/x", "1")))
  }

  @Test func `leaves a folder in the sums and the notes whose attributes it sets`() {
    var changes = Changes()
    changes.recount([Self.folder("Sub")])
    changes["Sub"].work = .attributes
    changes["Sub"].set(NodeAttributes(mode: 0o700, modeIsExact: true, modified: nil))
    #expect(changes.summary == ContentSummary())
    #expect(changes.state(from: .none, to: .new).rows.map(\.path) == ["Sub"])
  }

  @Test func `cannot be in a record if no program could read it there`() {
    var record = SaveRecord(token: 1)
    #expect(record.problem == nil)
    let path = PackagePath([FileName(String(repeating: "n", count: 256))])
    record.changes[path] = Change(path, noted: Self.row(path, "1"))
    #expect(record.problem?.path == path)
    let deep = PackagePath(Array(repeating: "d", count: PackagePath.maximumDepth + 2))
    record.changes = Changes()
    record.changes[deep] = Change(deep, noted: Self.row(deep, "1"))
    #expect(record.problem?.path == deep)
    (record.changes, record.metadata) = (Changes(), PackageMetadata())
    record.metadata?.generation = (1 << 60) + 1
    #expect(record.problem?.path == .root)
  }

  @Test func `gives a version no right to run as somebody else`() {
    var changes = Self.changes([("run", "1", "1", "2")])
    changes["run"].found?.mode = 0o6755
    #expect(changes.versionRows.first?.node?.mode == 0o755)
  }

  @Test func `has steps by the kinds that it found and leaves`() {
    var change = Change("a")
    change.work = .node
    #expect(change.steps == [])
    change.found = Entry(Self.status("old"))
    #expect(change.steps == [.remove] && change.takes)
    change.new = Entry(Self.status("new"))
    #expect(change.steps == [.put] && change.takes && change.needsStaged)
    change.found = Entry(Self.status("", .directory))
    #expect(change.steps == [.removeFolder, .put] && !change.takes)
    change.found = Entry(Self.status("old"))
    change.set(.newDirectory())
    #expect(change.steps == [.remove, .makeFolder])
    (change.work, change.found) = (.attributes, Entry(Self.status("", .directory)))
    change.set(NodeAttributes(mode: 0o700, modeIsExact: true, modified: nil))
    // Another program made the folder, and the save takes it over.
    #expect(change.steps == [.setAttributes] && change.left?.child.kind == .directory)
    change.isNotedKnown = false
    #expect(change.steps == [.setAttributes] && change.left == nil)
    change.work = .none
    #expect(change.steps == [])
  }

  @Test func `comes back from a record as it was, and the plist is made from the metadata`() throws {
    var record = SaveRecord(token: 7)
    var metadata = PackageMetadata(applicationValues: ["Title": .string("Trip <&>"), "Count": .integer(3)])
    metadata.parentRevisions = [.new, .new]
    metadata.keepsNoHistory = true
    (record.metadata, record.replaced) = (metadata, PackageMetadata())
    var changes = Self.changes([
      ("a", nil, nil, "new"), ("b", "1", "theirs", "2"), ("c", "1", "1", nil),
      ("Metadata.plist", nil, "0", "1"),
    ])
    changes["a"].bytes = Array("new".utf8)
    changes["d"] = Change("d", noted: Self.row("d", "1"), new: Self.row("d", "2"))
    changes["d"].isNotedKnown = false
    changes[.root].work = .attributes
    changes[.root].set(NodeAttributes(mode: 0o750, modeIsExact: true, modified: nil))
    changes.sort(naming: record.name)
    record.changes = changes
    try record.makePlist()
    var writer = ByteWriter()
    let log = ContentHash(of: [1])
    try record.encode(to: &writer, in: log)
    let bytes = writer.bytes
    let head = try #require(SaveRecord.Head(bytes[...], limit: bytes.count))
    #expect(
      head.length == bytes.count
        && head.isOf(bytes.prefix(SaveRecord.headLength + head.bodyLength), in: log))
    let again = try SaveRecord(bytes[...], head)
    #expect(again.changes.rows == record.changes.rows)
    #expect(again.metadata == metadata && again.replaced == record.replaced)
    let plist = try #require(again.changes.rows.first { $0.path == "Metadata.plist" }?.bytes)
    #expect(plist == (try metadata.encodedBytes()))
    #expect(
      !bytes.contains(UInt8(ascii: "<")) || !String(decoding: bytes, as: UTF8.self).contains("<key>Revision"))
  }
}
