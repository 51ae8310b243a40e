/// The rows that a transaction touched, in the order of their first changes, with their values from before.
///
/// All values are in one array, so that a transaction of a million rows allocates no memory for each.
struct TouchedRows {
  struct Row {
    /// The position of its table.
    var table: Int
    var key: Range<Int>
    /// The values from before, which follow the key; nil if the row was not there.
    var oldValues: Range<Int>?
    /// Whether only triggers and foreign keys changed it.
    var isIndirect: Bool
    fileprivate var hash: Int

    /// Whether the row was not there.
    var isNew: Bool { oldValues == nil }
  }

  /// The keys and the old values.
  var values = ChangesetWriter()
  private(set) var rows: [Row] = []
  /// A hash table: positions of rows, one above; 0 for an empty slot. Its size is a power of two.
  private var slots: [Int32] = []

  /// More memory than this does not stay for the next transaction.
  private static let keptCount = 1 << 16

  mutating func removeAll() {
    let isKept = values.count <= Self.keptCount
    values.removeAll(keepingCapacity: isKept)
    rows.removeAll(keepingCapacity: isKept)
    if isKept, slots.count <= Self.keptCount {
      for slot in slots.indices { slots[slot] = 0 }
    } else {
      slots = []
    }
  }

  /// Adds the row whose key was just added to `values`. If it is there already, its key goes again.
  ///
  /// - Returns: whether it is new, so that its old values must follow.
  mutating func add(table: Int, keyStart: Int, isIndirect: Bool) -> Bool {
    if rows.count * 2 >= slots.count { grow() }
    let key = keyStart..<values.count
    let hash = hash(table, key)
    var slot = hash & (slots.count - 1)
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if rows[position].hash == hash, rows[position].table == table,
        values.bytes[rows[position].key] == values.bytes[key]
      {
        if !isIndirect { rows[position].isIndirect = false }
        values.truncate(to: keyStart)
        return false
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    rows.append(Row(table: table, key: key, isIndirect: isIndirect, hash: hash))
    slots[slot] = Int32(rows.count)
    return true
  }

  /// Notes that the old values of the last row have been added to `values`.
  mutating func endOldValues() {
    rows[rows.count - 1].oldValues = rows[rows.count - 1].key.upperBound..<values.count
  }

  private func hash(_ table: Int, _ key: Range<Int>) -> Int {
    var hasher = Hasher()
    hasher.combine(table)
    values.bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0[key])) }
    return hasher.finalize()
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: max(16, slots.count * 2))
    for (position, row) in rows.enumerated() {
      var slot = row.hash & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = Int32(position + 1)
    }
  }
}
