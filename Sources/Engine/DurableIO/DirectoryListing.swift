import Glibc
import Synchronization

/// The entries of one directory at one moment, packed: about 10 bytes an entry and its name, without an object for
/// each.
///
/// A search by name is O(1); the first search builds an index of 8 bytes an entry at most.
package final class DirectoryListing: Sendable {
  private let names: [UInt8]
  private let ends: [UInt32]
  private let kinds: [FileKind]
  private let index = Mutex<[UInt32]>([])

  package init(_ entries: consuming Builder) {
    names = entries.names
    ends = entries.ends
    kinds = entries.kinds
  }

  package var count: Int { ends.count }

  /// The names, in the order of the positions.
  package var fileNames: [FileName] { (0..<count).map(name(at:)) }

  package func name(at position: Int) -> FileName {
    FileName(bytes: Array(names[range(of: position)]))
  }

  package func kind(at position: Int) -> FileKind {
    kinds[position]
  }

  /// Calls `body` with the bytes of the name, without a copy.
  package func withName<Result>(at position: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let range = range(of: position)
    return names.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  /// Returns the position of the entry with that name, or nil.
  package func position(of name: FileName) -> Int? {
    index.withLock { index in
      if index.isEmpty { index = makeIndex() }
      var slot = Self.hash(name.bytes[...]) & (index.count - 1)
      while index[slot] != 0 {
        let position = Int(index[slot] - 1)
        if names[range(of: position)].elementsEqual(name.bytes) { return position }
        slot = (slot + 1) & (index.count - 1)
      }
      return nil
    }
  }

  /// Returns all positions in byte order of the names. O(n log n).
  package func sortedPositions() -> [Int] {
    names.withUnsafeBytes { names in
      (0..<count).sorted { left, right in
        let (left, right) = (range(of: left), range(of: right))
        // An empty name, which has no address, comes before all other names.
        guard let start = names.baseAddress, !left.isEmpty, !right.isEmpty else {
          return left.isEmpty && !right.isEmpty
        }
        let order = memcmp(start + left.lowerBound, start + right.lowerBound, min(left.count, right.count))
        return order == 0 ? left.count < right.count : order < 0
      }
    }
  }

  /// Returns the listing without the entries of these names. O(n).
  package func without(_ names: Set<FileName>) -> DirectoryListing {
    let gone = Set(names.compactMap(position(of:)))
    if gone.isEmpty { return self }
    var builder = Builder()
    for position in 0..<count where !gone.contains(position) {
      withName(at: position) { builder.append(UnsafeRawBufferPointer($0), kind(at: position)) }
    }
    return DirectoryListing(builder)
  }

  private func range(of position: Int) -> Range<Int> {
    (position == 0 ? 0 : Int(ends[position - 1]))..<Int(ends[position])
  }

  private func makeIndex() -> [UInt32] {
    var capacity = 8
    while capacity < count * 2 { capacity *= 2 }
    var index = [UInt32](repeating: 0, count: capacity)
    for position in 0..<count {
      var slot = Self.hash(names[range(of: position)]) & (capacity - 1)
      while index[slot] != 0 { slot = (slot + 1) & (capacity - 1) }
      index[slot] = UInt32(position + 1)
    }
    return index
  }

  /// Returns a hash with a key of this process, so that no chosen names share one.
  private static func hash(_ bytes: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  /// Collects entries one by one.
  package struct Builder: Sendable {
    fileprivate var names: [UInt8] = []
    fileprivate var ends: [UInt32] = []
    fileprivate var kinds: [FileKind] = []

    package init() {}

    /// Appends one entry. Names of one directory stay far below the 4 GiB of the offsets.
    package mutating func append(_ name: UnsafeRawBufferPointer, _ kind: FileKind) {
      names.append(contentsOf: name)
      ends.append(UInt32(names.count))
      kinds.append(kind)
    }

    package mutating func append(_ name: FileName, _ kind: FileKind) {
      name.bytes.withUnsafeBytes { append($0, kind) }
    }
  }
}
