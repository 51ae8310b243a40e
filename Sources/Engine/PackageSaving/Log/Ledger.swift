package import DurableIO
import FileTrees
package import FoundationEssentials
package import PackageFormat
import SystemPackage

// G1 A save continues the state that it names as its parent. An earlier save over that state does not count any more:
//    this one supersedes it, or another program brought that state back.
// G2 If the log does not know the parent, the notes of the save stand alone, and the other children are unknown.
// G3 The versions of a state are those of the line that leads to it.

/// The facts in the records of a log: the children of the present and of earlier states, and the versions.
package struct Ledger {
  /// The facts at the beginning of a log, from before its first record.
  struct Base {
    /// The number of the last record that they contain.
    var sequence: UInt64 = 0
    /// The state of the table; all zeros if nothing is known of it.
    var revision = UUID.none
    var isComplete = false
    /// The rule for versions; nil if the document keeps no history.
    var policy: RetentionPolicy?
    /// The state that the last version leads to.
    var tip = UUID.none
    var table = LogRun.empty
    /// The saves after the table, without their versions.
    var states = LogRun.empty
    var versions = LogRun.empty
  }

  /// A save after the table.
  struct Entry {
    var state: SavedState
    /// The version that it replaced; nil if it kept none, or if that is in the base.
    var version: VersionRecord?
  }

  private(set) var base = Base()
  private(set) var entries: [Entry] = []
  /// The entry of each state.
  private var places: [UUID: Int] = [:]
  /// The first entry with a version, which begins the history unless the base has one.
  private var firstVersion: Int?
  /// The history that a new log gets instead of the one in the records.
  private var newHistory: History??

  /// The versions of a document, and their rule.
  package typealias History = (chain: VersionChain, policy: RetentionPolicy)

  package init() {}

  init(_ base: Base) throws(SystemError) {
    self.base = base
    for item in try base.states.all() {
      guard let item else { continue }
      var reader = ByteReader(item)
      // A damaged item tells nothing; the save after it stands alone (G2).
      guard let state = try? SavedState(&reader) else { continue }
      note(state)
    }
  }

  /// Adds the next record.
  mutating func note(_ record: SaveRecord) {
    guard let state = record.state else { return }
    note(Entry(state: state, version: record.version))
  }

  /// Adds the notes of a save that keeps no version.
  package mutating func note(_ state: SavedState) { note(Entry(state: state)) }

  private mutating func note(_ entry: Entry) {
    var entry = entry
    if !cut(at: entry.state.parent), !entry.state.replacesEarlier { entry.state.replacesEarlier = true }
    places[entry.state.revision] = entries.count
    if firstVersion == nil, entry.version != nil { firstVersion = entries.count }
    entries.append(entry)
  }

  /// Leaves the saves that lead to a state (G1); false if the log does not know it.
  @discardableResult
  mutating func cut(at revision: UUID) -> Bool {
    let left: Int
    if let index = places[revision] {
      left = index + 1
    } else if base.revision == revision, revision != .none {
      left = 0
    } else {
      return false
    }
    for entry in entries[left...] { places[entry.state.revision] = nil }
    entries.removeSubrange(left...)
    if let first = firstVersion, first >= left { firstVersion = nil }
    return true
  }

  // MARK: Looking

  /// The last state; nil if no save of a document with metadata is known.
  package var revision: UUID? {
    entries.last?.state.revision ?? (base.revision == .none ? nil : base.revision)
  }

  /// Whether any save noted children.
  var hasState: Bool { revision != nil }

  /// The states, in their order.
  package var revisions: [UUID] {
    (base.revision == .none ? [] : [base.revision]) + entries.map(\.state.revision)
  }

  /// Returns the children of a state; nil if the log does not know it.
  package func table(of revision: UUID) -> StateTable? {
    let last = places[revision]
    guard last != nil || revision == base.revision && revision != .none else { return nil }
    let table = StateTable(base.revision, isComplete: base.isComplete, base.table)
    if let last { for entry in entries[...last] { table.apply(entry.state) } }
    return table
  }

  // MARK: Versions

  /// The rule for versions; nil if the document keeps no history.
  @inline(never)  // The optimiser of Swift 6.3.1 ends with an error where it is inlined.
  package var policy: RetentionPolicy? {
    if let newHistory { return newHistory?.policy }
    return base.policy ?? (firstVersion == nil ? nil : .standard)
  }

  /// About the length of the versions, in bytes.
  var versionsLength: Int {
    entries.reduce(base.versions.items.count) { $0 + ($1.version.map { 256 + 96 * $0.rows.count } ?? 0) }
  }

  /// Returns the versions of the line that leads to a state (G3), and whether some cannot be read.
  ///
  /// - Parameter revision: nil for the last state.
  package func chain(of revision: UUID? = nil) throws(SystemError) -> (chain: VersionChain, isDamaged: Bool) {
    if let newHistory { return (newHistory?.chain ?? VersionChain(tip: .none), false) }
    var (versions, isDamaged) = ([VersionRecord](), false)
    for item in try base.versions.all() {
      var reader = ByteReader(item ?? [])
      if let version = try? VersionRecord(&reader) { versions.append(version) } else { isDamaged = true }
    }
    var chain = VersionChain(versions, tip: base.tip)
    if base.policy == nil, let firstVersion, let first = entries[firstVersion].version {
      chain = VersionChain(tip: first.revision)
    }
    for entry in entries {
      if let version = entry.version { chain.append(version) }
    }
    if let revision { chain.cut(at: revision) }
    return (chain, isDamaged)
  }

  /// Gives the document another history; nil for none.
  package mutating func setHistory(_ history: History?) { newHistory = .some(history) }

  // MARK: As bytes

  /// The longest part of the notes of earlier saves that a new log keeps apart from the table.
  ///
  /// They tell the children of earlier states, from which another program's version may have been made.
  private static let longestStates = 64 << 10

  /// Writes the items of these facts, up to the next block.
  ///
  /// - Returns: the facts themselves, for the first block.
  func encode(sequence: UInt64, to writer: inout ByteWriter) throws(SystemError) -> [UInt8] {
    let (policy, chain) = (policy, try policy == nil ? nil : chain().chain)
    var kept: [[UInt8]] = []
    var (first, length) = (entries.count, 0)
    while first > 0 {
      var state = ByteWriter()
      entries[first - 1].state.encode(to: &state)
      length += state.count
      if length > Self.longestStates { break }
      kept.append(state.bytes)
      first -= 1
    }
    let table = StateTable(base.revision, isComplete: base.isComplete, base.table)
    for entry in entries[..<first] { table.apply(entry.state) }
    var states = LogRunWriter()
    for state in kept.reversed() { states.add { $0.write(state) } }
    var versions = LogRunWriter()
    do {
      for version in chain?.versions ?? [] { try versions.add { try version.encode(to: &$0) } }
    } catch {
      throw SystemError("write", PackageLayout.newLog, code: .invalidArgument)
    }
    var rows = ByteWriter()
    let (count, rowsLength) = try table.encode(to: &rows)
    var facts = Base()
    facts.sequence = sequence
    (facts.revision, facts.isComplete) = (table.revision ?? .none, table.isComplete)
    (facts.policy, facts.tip) = (policy, chain?.tip ?? .none)
    let start = writer.count
    rows.withUnsafeBytes { writer.write($0) }
    states.write(to: &writer)
    versions.write(to: &writer)
    writer.writeZeros(-(writer.count - start) & (SaveRecord.blockSize - 1))
    return facts.encoded(
      [(count, rowsLength), (states.count, states.length), (versions.count, versions.length)])
  }
}

extension Ledger.Base {
  private static let magic = Array("BASE".utf8)
  /// The place in the first block, in a sector of their own.
  static let offset = 1024
  private static let length =
    4 + 8 + 16 + 1 + RetentionPolicy.encodedLength + 16 + 3 * (4 + 8) + ContentHash.count

  fileprivate func encoded(_ runs: [(count: Int, length: Int)]) -> [UInt8] {
    var writer = ByteWriter(capacity: Self.length)
    writer.write(Self.magic)
    writer.write(sequence)
    writer.write(revision)
    writer.write((isComplete ? 1 : 0) | (policy == nil ? 0 : 2) as UInt8)
    (policy ?? .standard).encode(to: &writer)
    writer.write(tip)
    for run in runs {
      writer.write(UInt32(truncatingIfNeeded: run.count))
      writer.write(UInt64(run.length))
    }
    writer.write(writer.hash(from: 0))
    return writer.bytes
  }

  /// Decodes the facts in the first block of a log; nil if they are damaged.
  ///
  /// - Parameter end: becomes the place of the first record.
  init?(_ block: ArraySlice<UInt8>, of bytes: LogBytes, _ end: inout Int) {
    let facts = block.dropFirst(Self.offset).prefix(Self.length)
    guard facts.count == Self.length,
      ContentHash(bytes: facts.suffix(ContentHash.count))
        == facts.dropLast(ContentHash.count).withUnsafeBytes({ ContentHash(of: $0) })
    else { return nil }
    var reader = ByteReader(facts)
    do throws(ByteReader.Damage) {
      guard try reader.read(count: 4).elementsEqual(Self.magic) else { return nil }
      sequence = try reader.read()
      revision = UUID(bytes: try reader.read(count: 16))
      let flags = try reader.read(UInt8.self)
      isComplete = flags & 1 != 0
      let policy = try RetentionPolicy(&reader)
      self.policy = flags & 2 == 0 ? nil : policy
      tip = UUID(bytes: try reader.read(count: 16))
      var place = SaveLog.start
      var runs: [LogRun] = []
      for _ in 0..<3 {
        let (count, length) = (Int(try reader.read(UInt32.self)), try reader.read(UInt64.self))
        guard length <= UInt64(SaveLog.maximumSize), count <= SaveLog.maximumSize,
          sequence < SaveRecord.maximumSequence / 2
        else { return nil }
        runs.append(LogRun(count, place..<(place + Int(length)), in: bytes))
        place += LogRun.length(count, Int(length))
      }
      (table, states, versions) = (runs[0], runs[1], runs[2])
      end = (place + SaveRecord.blockSize - 1) / SaveRecord.blockSize * SaveRecord.blockSize
    } catch {
      return nil
    }
  }
}
