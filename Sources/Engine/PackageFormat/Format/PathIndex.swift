/// The place of the newest row of each path in the bytes of a manifest.
///
/// The bytes of a path identify it; its hash says only where to look. The hash has a key of this process, so that no
/// author of a package can make names that share one.
///
/// Open addressing with 8 bytes a slot, at most three quarters of them taken: 11 to 22 bytes a path.
struct PathIndex {
  private struct Slot {
    /// The place of the row; no row is at the beginning of a manifest.
    package var offset: UInt32
    /// The lower half of the path's hash.
    var hash: UInt32

    static let empty = Slot(offset: 0, hash: 0)
    /// A removed path: the search goes on past it.
    static let removed = Slot(offset: .max, hash: 0)
  }

  private var slots: [Slot] = []
  /// The number of slots that are not empty.
  private var taken = 0
  /// The number of paths.
  package private(set) var count = 0

  /// The places of the rows, in no order.
  var offsets: some Sequence<Int> {
    slots.lazy.filter { $0.offset != Slot.empty.offset && $0.offset != Slot.removed.offset }
      .map { Int($0.offset) }
  }

  /// Returns the place of the row of a path.
  ///
  /// - Parameter isPath: returns whether the row at an offset has the path.
  package func find(_ path: UnsafeBufferPointer<UInt8>, _ isPath: (Int) -> Bool) -> Int? {
    slot(of: Self.hash(path), isPath).found.map { Int(slots[$0].offset) }
  }

  /// Sets or replaces the row of a path; nil removes it.
  package mutating func set(_ offset: Int?, for path: UnsafeBufferPointer<UInt8>, _ isPath: (Int) -> Bool) {
    let hash = Self.hash(path)
    let (found, free) = slot(of: hash, isPath)
    if let found {
      if let offset {
        slots[found].offset = UInt32(offset)
      } else {
        slots[found] = .removed
        count -= 1
      }
      return
    }
    guard let offset else { return }
    let new = Slot(offset: UInt32(offset), hash: hash)
    count += 1
    if let free {
      slots[free] = new
    } else {
      if (taken + 1) * 4 > slots.count * 3 { grow() }
      insert(new)
    }
  }

  /// Returns the slot that has a path, and a free one on the way to it.
  private func slot(of hash: UInt32, _ isPath: (Int) -> Bool) -> (found: Int?, free: Int?) {
    if slots.isEmpty { return (nil, nil) }
    var (position, free) = (Int(hash) & (slots.count - 1), Int?.none)
    while true {
      let slot = slots[position]
      if slot.offset == Slot.empty.offset { return (nil, free) }
      if slot.offset == Slot.removed.offset {
        free = free ?? position
      } else if slot.hash == hash && isPath(Int(slot.offset)) {
        return (position, free)
      }
      position = (position + 1) & (slots.count - 1)
    }
  }

  private mutating func insert(_ slot: Slot) {
    var position = Int(slot.hash) & (slots.count - 1)
    while slots[position].offset != Slot.empty.offset { position = (position + 1) & (slots.count - 1) }
    slots[position] = slot
    taken += 1
  }

  private mutating func grow() {
    let old = slots
    var size = 16
    while count * 2 > size { size *= 2 }
    slots = Array(repeating: .empty, count: size)
    taken = 0
    for slot in old where slot.offset != Slot.empty.offset && slot.offset != Slot.removed.offset {
      insert(slot)
    }
  }

  private static func hash(_ path: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(path))
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }
}
