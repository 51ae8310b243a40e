package import FilePackages
package import DurableIO

/// The entries of a document as this machine last saw them, in the order of their paths.
///
/// They stay encoded, in pages, so that a comparison with files makes no values. A change costs its pages, and a new
/// array of pages.
package struct KnownChildren: Sendable {
  package private(set) var pages: [KnownPage] = []
  /// The number of entries.
  package private(set) var count = 0

  package init() {}

  /// Encodes children; the last one of a path counts.
  package init(_ children: some Sequence<KnownChild>) {
    self = KnownChildren().updated(children.map { Change($0) })
  }

  /// Takes pages that are in order.
  package init(pages: [KnownPage]) {
    self.pages = pages
    count = pages.reduce(0) { $0 + $1.count }
  }

  package var isEmpty: Bool { count == 0 }

  /// The number of bytes.
  var size: Int { pages.reduce(0) { $0 + $1.bytes.count } }

  // MARK: Reading

  /// A place between the entries.
  struct Cursor {
    private let pages: [KnownPage]
    private var page: Int
    private var offset = 0

    fileprivate init(_ pages: [KnownPage], page: Int) { (self.pages, self.page) = (pages, page) }

    var isAtEnd: Bool { page == pages.count }
    /// The bytes of the next entry's path.
    var path: ArraySlice<UInt8> { pages[page].path(at: offset) }
    /// The next entry.
    var child: KnownChild { pages[page].child(at: offset) }

    /// Compares the next entry's path with another one: negative if the entry's is first, 0 if both are equal.
    func compare(with path: [UInt8]) -> Int { pages[page].compare(at: offset, with: path) }

    /// Returns whether the next entry is a file with this status.
    func isFile(with identity: FileIdentity) -> Bool { pages[page].isFile(at: offset, with: identity) }

    mutating func advance() {
      offset += pages[page].length(at: offset)
      if offset == pages[page].bytes.count { (page, offset) = (page + 1, 0) }
    }
  }

  /// The place before the first entry.
  var start: Cursor { Cursor(pages, page: 0) }

  /// The place before the first entry that does not come before a path. O(log n).
  private func cursor(before path: [UInt8]) -> Cursor {
    var (low, high) = (0, pages.count)
    while low < high {
      let middle = (low + high) / 2
      if pages[middle].compare(at: 0, with: path) <= 0 { low = middle + 1 } else { high = middle }
    }
    var cursor = Cursor(pages, page: max(low - 1, 0))
    while !cursor.isAtEnd, cursor.compare(with: path) < 0 { cursor.advance() }
    return cursor
  }

  /// Returns the entry of a path. O(log n).
  package subscript(_ path: PackagePath) -> KnownChild? {
    let bytes = path.bytes
    let cursor = cursor(before: bytes)
    return !cursor.isAtEnd && cursor.compare(with: bytes) == 0 ? cursor.child : nil
  }

  /// All entries, in order. O(n).
  package var children: [KnownChild] {
    var children: [KnownChild] = []
    children.reserveCapacity(count)
    var cursor = start
    while !cursor.isAtEnd {
      children.append(cursor.child)
      cursor.advance()
    }
    return children
  }

  /// Returns the names in a folder, in order. Costs the entries beneath the folder.
  package func names(in folder: PackagePath) -> [FileName] {
    let prefix = folder.isRoot ? [] : folder.bytes + [UInt8(ascii: "/")]
    var cursor = cursor(before: prefix)
    var names: [FileName] = []
    while !cursor.isAtEnd, cursor.path.starts(with: prefix) {
      let name = cursor.path.dropFirst(prefix.count)
      if !name.isEmpty, !name.contains(UInt8(ascii: "/")) { names.append(FileName(bytes: Array(name))) }
      cursor.advance()
    }
    return names
  }

  // MARK: Changing

  /// A new entry of a path, or the end of one.
  package struct Change: Sendable {
    let path: [UInt8]
    let child: KnownChild?

    package init(_ child: KnownChild) { (path, self.child) = (child.entry.path.bytes, child) }
    package init(removing path: PackagePath) { (self.path, child) = (path.bytes, nil) }

    static func compare(_ one: Change, _ other: Change) -> Int {
      one.path.withUnsafeBytes { one in other.path.withUnsafeBytes { PathOrder.compare(one, $0) } }
    }
  }

  /// Returns the entries after changes; the last one of a path counts. Costs the pages that change.
  package func updated(_ changes: [Change]) -> KnownChildren {
    let changes = Self.inOrder(changes)
    guard !changes.isEmpty else { return self }
    var (pages, next) = ([KnownPage](), 0)
    for (index, page) in self.pages.enumerated() {
      var end = next
      while end < changes.count,
        index + 1 == self.pages.count || self.pages[index + 1].compare(at: 0, with: changes[end].path) > 0
      {
        end += 1
      }
      if next == end { pages.append(page) } else { pages += Self.merged(page, changes[next..<end]) }
      next = end
    }
    if self.pages.isEmpty { pages = Self.merged(KnownPage(), changes[...]) }
    return KnownChildren(pages: pages)
  }

  /// Sorts changes, and leaves the last one of each path.
  private static func inOrder(_ changes: [Change]) -> [Change] {
    let isSorted = zip(changes, changes.dropFirst()).allSatisfy { Change.compare($0, $1) < 0 }
    if isSorted { return changes }
    let sorted = changes.enumerated().sorted { one, other in
      let order = Change.compare(one.element, other.element)
      return order == 0 ? one.offset < other.offset : order < 0
    }.map(\.element)
    return zip(sorted, sorted.dropFirst().map(Optional.some) + [nil]).compactMap { change, next in
      next.map { Change.compare(change, $0) == 0 } ?? false ? nil : change
    }
  }

  /// Returns a page after changes, cut into pages of nearly equal numbers of entries.
  private static func merged(_ page: KnownPage, _ changes: ArraySlice<Change>) -> [KnownPage] {
    // The entries of the page, and those of changes.
    var parts: [(offset: Int?, child: KnownChild?)] = []
    var (offset, changes) = (0, changes)
    while offset < page.bytes.count || !changes.isEmpty {
      let order =
        offset == page.bytes.count ? 1 : changes.first.map { page.compare(at: offset, with: $0.path) } ?? -1
      if order >= 0, let change = changes.popFirst(), let child = change.child { parts.append((nil, child)) }
      if order < 0 { parts.append((offset, nil)) }
      if order <= 0 { offset += page.length(at: offset) }
    }
    guard parts.count > KnownPage.maximumCount else { return parts.isEmpty ? [] : [filled(parts[...], page)] }
    let number = (parts.count * 4 + KnownPage.maximumCount * 3 - 1) / (KnownPage.maximumCount * 3)
    return (0..<number).map { index in
      filled(parts[parts.count * index / number..<parts.count * (index + 1) / number], page)
    }
  }

  private static func filled(_ parts: ArraySlice<(offset: Int?, child: KnownChild?)>, _ old: KnownPage)
    -> KnownPage
  {
    var page = KnownPage()
    for part in parts {
      if let offset = part.offset { page.append(entryAt: offset, of: old) }
      if let child = part.child { page.append(child) }
    }
    return page
  }
}
