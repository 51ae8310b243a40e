import DurableIO
import FileTrees
package import FoundationEssentials
package import PackageFormat

/// The children of one state, as its saves noted them.
///
/// The table of a log is searched, not loaded: finding a row reads O(log N) of it. A row that cannot be read is
/// unknown, and then not all rows are known.
package final class StateTable {
  /// The state; nil for a package without metadata.
  package private(set) var revision: UUID?
  private var hasAll: Bool
  private var isDamaged = false
  private var run: LogRun
  /// The rows that later saves noted; nil for a child that they removed.
  private var recent: [PackagePath: NotedChild?] = [:]

  init(_ revision: UUID?, isComplete: Bool, _ run: LogRun = .empty) {
    (self.revision, hasAll, self.run) = (revision, isComplete, run)
  }

  /// Whether every child has a row; false if the package had children before its saves noted them.
  package var isComplete: Bool { hasAll && !isDamaged }

  /// Goes on to the state of a later save.
  func apply(_ state: SavedState) {
    revision = state.revision
    if state.replacesEarlier { (run, recent, hasAll, isDamaged) = (.empty, [:], state.isComplete, false) }
    for row in state.rows { recent[row.path] = .some(row.row) }
  }

  /// Returns the row of a child.
  package func row(at path: PackagePath) -> NotedChild? {
    if let known = recent[path] { return known }
    let bytes = path.bytes
    var (low, high) = (0, run.count)
    while low < high {
      let middle = (low + high) / 2
      guard let item = item(middle), let found = Self.path(item) else {
        isDamaged = true
        return nil
      }
      if found.elementsEqual(bytes) {
        let row = Self.row(item)
        if row == nil { isDamaged = true }
        return row
      }
      if found.lexicographicallyPrecedes(bytes) { low = middle + 1 } else { high = middle }
    }
    return nil
  }

  /// Every row of a child, in no order.
  package var rows: [NotedChild] {
    do throws(SystemError) {
      return try read()
    } catch {
      // Rows that cannot be read are unknown.
      isDamaged = true
      return recent.values.compactMap { $0 }
    }
  }

  private func read() throws(SystemError) -> [NotedChild] {
    var rows = recent.values.compactMap { $0 }
    for item in try run.all() {
      guard let item, let row = Self.row(item) else {
        isDamaged = true
        continue
      }
      if recent[row.child.path] == nil { rows.append(row) }
    }
    return rows
  }

  private func item(_ index: Int) -> ArraySlice<UInt8>? {
    // A row that cannot be read is unknown.
    do throws(SystemError) { return try run.item(index) } catch { return nil }
  }

  private static func path(_ item: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var reader = ByteReader(item)
    return try? reader.readShort()
  }

  private static func row(_ item: ArraySlice<UInt8>) -> NotedChild? {
    var reader = ByteReader(item)
    return (try? SavedState.Row(&reader))?.row
  }

  // MARK: As bytes

  /// Writes the rows as a run, in the order of their paths' bytes.
  ///
  /// - Returns: the number of rows, and the length of the items.
  func encode(to writer: inout ByteWriter) throws(SystemError) -> (count: Int, length: Int) {
    if recent.isEmpty, let copied = try run.copied() {
      writer.write(copied)
      return (run.count, run.items.count)
    }
    var new = LogRunWriter()
    for row in try read().map({ (key: $0.child.path.bytes, row: $0) }).sorted(by: {
      $0.key.lexicographicallyPrecedes($1.key)
    }) {
      new.add { SavedState.Row(row.row).encode(to: &$0) }
    }
    new.write(to: &writer)
    return (new.count, new.length)
  }
}
