import DurableIO
import FilePackages
import Testing

@Suite("A three-way merge of paths")
struct PathMergeTests {
  private struct Entry: MergeEntry, Hashable, CustomStringConvertible {
    typealias ComparisonError = Never

    var fileKind = FileKind.file
    var bytes = ""
    var mode: UInt16 = 0o644

    var mergeMode: MergeMode? { fileKind == .symbolicLink ? nil : MergeMode(mode) }
    var content: String { "\(fileKind)\(bytes)" }
    var description: String { "\(content)/\(String(mode, radix: 8))" }

    func isIdentical(to other: Entry) -> Bool { self == other }
    func hasSameBytes(as other: Entry) -> Bool { content == other.content }

    static let folder = Entry(fileKind: .directory, mode: 0o755)
    static let link = Entry(fileKind: .symbolicLink, bytes: "B", mode: 0o777)
    static func file(_ bytes: String, _ mode: UInt16 = 0o644) -> Entry { Entry(bytes: bytes, mode: mode) }

    /// Nothing, and each kind of node.
    static let all: [Entry?] = [nil, folder, file("A"), file("A", 0o755), file("B"), file("B", 0o755), link]
  }

  private typealias Merge = PathMerge<Entry>

  /// An outcome as a user sees it.
  private enum Seen: Hashable {
    /// The node in the merged tree; nil for none.
    case node(Entry?)
    /// The node in the merged tree, and the report names it.
    case named(Entry)
    case conflict(mergesBytes: Bool)

    init(_ outcome: Merge.Outcome, _ entries: Merge.Entries) {
      switch outcome {
      case .take(let side): self = .node(entries[side])
      case .keep(let side): self = entries[side].map { .named($0) } ?? .node(nil)
      case .takeBytes(let side, let mode):
        var entry = entries[side]
        entry?.mode = mode.bits
        self = .node(entry)
      case .mergeBytes: self = .conflict(mergesBytes: true)
      case .conflict: self = .conflict(mergesBytes: false)
      }
    }

    /// The node in the merged tree, if the report says nothing of it.
    var silent: Entry?? { if case .node(let entry) = self { .some(entry) } else { nil } }
  }

  private static func seen(_ base: Entry?, _ ours: Entry?, _ theirs: Entry?) -> Seen {
    let entries = Merge.Entries(base: base, ours: ours, theirs: theirs)
    return Seen(Merge.outcome(of: entries), entries)
  }

  /// Calls a function with each combination of three values.
  private static func forEachCase<Value>(
    _ values: [Value], _ body: (_ base: Value, _ ours: Value, _ theirs: Value) -> Void
  ) {
    for base in values {
      for ours in values {
        for theirs in values { body(base, ours, theirs) }
      }
    }
  }

  // MARK: One path

  @Test func `takes the side that changed something, if the other one changed nothing`() {
    // (PM3)
    for base in Entry.all {
      for side in Entry.all {
        #expect(Self.seen(base, side, base) == .node(side))
        #expect(Self.seen(base, base, side) == .node(side))
        #expect(Self.seen(base, side, side) == .node(side))
      }
    }
  }

  @Test func `has the changes of each side, or names the path, in all 343 cases`() {
    var cases = 0
    Self.forEachCase(Entry.all) { base, ours, theirs in
      cases += 1
      let seen = Self.seen(base, ours, theirs)
      // The exchange of the sides changes nothing (PM4).
      #expect(Self.seen(base, theirs, ours) == seen, "\((base, ours, theirs))")
      for side in [ours, theirs] {
        guard let silent = seen.silent else { continue }
        // A content or a removal is absent only if the path is named (PM1).
        if side?.content != base?.content {
          #expect(silent?.content == side?.content, "\((base, ours, theirs))")
        }
        // Each permission that a side gave or took (PM2).
        guard let side, let silent, side.fileKind == silent.fileKind, side.fileKind != .symbolicLink else {
          continue
        }
        let before = base?.fileKind == side.fileKind ? base?.mode ?? 0 : 0
        #expect((silent.mode ^ side.mode) & (side.mode ^ before) == 0, "\((base, ours, theirs))")
      }
      // Nothing else is named: both sides have another content than the base, and not the same one.
      if seen.silent == nil {
        #expect(Set([base?.content, ours?.content, theirs?.content]).count == 3, "\((base, ours, theirs))")
      }
    }
    #expect(cases == 343)
  }

  @Test func `keeps a child that one side removed and the other one changed, and names it`() {
    var (removals, conflicts) = (0, 0)
    Self.forEachCase(Entry.all) { base, ours, theirs in
      let seen = Self.seen(base, ours, theirs)
      switch (ours, theirs) {
      case (nil, let stays?), (let stays?, nil):
        guard let base else { return }
        // The permissions alone are no other content: they go with the file.
        #expect(seen == (stays.content == base.content ? .node(nil) : .named(stays)))
        removals += 1
      case (let own?, let other?):
        let mergesBytes = own.fileKind == .file && other.fileKind == .file
        if seen.silent == nil {
          #expect(seen == .conflict(mergesBytes: mergesBytes), "\((own, other))")
          conflicts += 1
        }
      case (nil, nil): #expect(seen == .node(nil))
      }
    }
    // Two sides, six nodes as the base and as the other side.
    #expect(removals == 72 && conflicts > 0)
  }

  @Test func `has each permission that one side gave or took`() {
    for (base, ours, theirs, merged) in [
      (0o644, 0o755, 0o644, 0o755), (0o644, 0o600, 0o755, 0o711), (0o755, 0o644, 0o700, 0o600),
      (0o640, 0o600, 0o660, 0o620), (0, 0o600, 0o644, 0o644),
    ] as [(UInt16, UInt16, UInt16, UInt16)] {
      for bytes in [("A", "B"), ("B", "A"), ("A", "A")] {
        let (own, other) = (Entry.file(bytes.0, ours), Entry.file(bytes.1, theirs))
        let seen = Self.seen(.file("A", base), own, other)
        #expect(seen == .node(.file(bytes == ("A", "A") ? "A" : "B", merged)))
      }
    }
  }

  @Test func `knows the executable bit alone of permissions that no disk gave`() {
    struct Loose: MergeEntry {
      typealias ComparisonError = Never
      var bytes: String
      var mergeMode: MergeMode?
      func hasSameBytes(as other: Loose) -> Bool { bytes == other.bytes }
    }
    func merged(_ base: MergeMode, _ ours: MergeMode, _ theirs: MergeMode) -> PathMerge<Loose>.Outcome {
      PathMerge.outcome(
        of: .init(
          base: Loose(bytes: "A", mergeMode: base), ours: Loose(bytes: "B", mergeMode: ours),
          theirs: Loose(bytes: "A", mergeMode: theirs)))
    }
    let (plain, program) = (MergeMode(0o666, isExact: false), MergeMode(0o777, isExact: false))
    // New bytes from memory keep the permissions that the other side chose.
    #expect(merged(MergeMode(0o644), plain, MergeMode(0o600)) == .takeBytes(.ours, MergeMode(0o600)))
    #expect(merged(MergeMode(0o644), plain, MergeMode(0o644)) == .takeBytes(.ours, MergeMode(0o644)))
    #expect(merged(plain, program, MergeMode(0o640)) == .takeBytes(.ours, MergeMode(0o750)))
    #expect(merged(plain, plain, MergeMode(0o755)) == .takeBytes(.ours, MergeMode(0o755)))
    #expect(merged(program, plain, MergeMode(0o755)) == .takeBytes(.ours, MergeMode(0o644)))
    #expect(merged(program, program, MergeMode(0o644)) == .takeBytes(.ours, MergeMode(0o644)))
    #expect(merged(plain, plain, plain) == .take(.ours))
    #expect(merged(plain, plain, program) == .takeBytes(.ours, program))
  }

  // MARK: Folders

  private typealias Tree = [PackagePath: Entry]

  /// All trees of a node `f`, and a node in it.
  private static let trees: [Tree] =
    Entry.all.map { $0.map { ["f": $0] } ?? [:] }
    + Entry.all.compactMap { $0.map { ["f": Entry.folder, "f/a": $0] } }
    + [["f": Entry(fileKind: .directory, mode: 0o700), "f/a": .file("A")]]

  private static func merged(_ base: Tree, _ ours: Tree, _ theirs: Tree) -> [PackagePath: Seen] {
    var entries: [PackagePath: Merge.Entries] = [:]
    for path in ["f", "f/a"] as [PackagePath] {
      entries[path] = .init(base: base[path], ours: ours[path], theirs: theirs[path])
    }
    var merged: [PackagePath: Seen] = [:]
    for decision in PathMerge(entries).decisions {
      merged[decision.path] = Seen(decision.outcome, decision.entries)
    }
    return merged
  }

  @Test func `has a folder around each child, or names the folder's path`() throws {
    var (conflicts, stays) = (0, 0)
    Self.forEachCase(Self.trees) { base, ours, theirs in
      let merged = Self.merged(base, ours, theirs)
      #expect(Self.merged(base, theirs, ours) == merged)
      guard let folder = merged["f"], let child = merged["f/a"] else {
        Issue.record("a path without an outcome")
        return
      }
      if base == ours || base == theirs || ours == theirs {
        let side = base == ours ? theirs : ours
        #expect(folder == .node(side["f"]) && child == .node(side["f/a"]), "\((base, ours, theirs))")
      }
      if child == .node(nil) { return }
      switch folder {
      case .node(let node), .named(let node as Entry?):
        #expect(node?.fileKind == .directory, "\((base, ours, theirs))")
        if [ours["f"], theirs["f"]].contains(nil) { stays += 1 }
      case .conflict: conflicts += 1
      }
    }
    #expect(conflicts > 0 && stays > 0)
  }

  @Test func `loses no child in a folder that the other side removed or replaced`() {
    Self.forEachCase(Self.trees) { base, ours, theirs in
      let merged = Self.merged(base, ours, theirs)
      for side in [ours, theirs] {
        for (path, node) in side where node.content != base[path]?.content {
          // It is in the merged tree, or its path or that of the folder is named (PM1).
          let isNamed = [path, "f"].contains { merged[$0].map { $0.silent == nil } == true }
          #expect(isNamed || merged[path]?.silent??.content == node.content, "\((base, ours, theirs))")
        }
      }
    }
  }
}
