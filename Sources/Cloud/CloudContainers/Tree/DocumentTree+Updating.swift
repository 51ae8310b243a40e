package import FilePackages

extension DocumentTree {
  /// A change of the items of one level.
  private struct Edit {
    var path: PackagePath
    /// The new item; nil for none.
    var item: TreeItem?
  }

  /// Stores the tree with some entries changed; reads and stores only the pages that have them.
  ///
  /// The new tree relies on the other pages of this one, which have to stay.
  ///
  /// - Parameter changes: the new entries by their paths; nil removes an entry, and does nothing if there is none.
  /// - Throws: as `store(_:in:)` and `forEachEntry(_:)`.
  package func updated(with changes: [PackagePath: TreeEntry?]) async throws -> TreeRoot {
    if changes.isEmpty { return root }
    for case let entry? in changes.values { try entry.check(in: blobs) }
    if root.totals.entries == 0 {
      return try await Self.store(changes.values.compactMap { $0 }.sorted { $0.path < $1.path }, in: blobs)
    }
    let reader = TreeReader(blobs, limits)
    var sink = PageSink(blobs)
    var edits = changes.sorted { $0.key < $1.key }.map {
      Edit(path: $0.key, item: $0.value.map { .entry($0) })
    }
    let top = try await reader.page(at: .init(root))
    for level in 0...top.level {
      edits = try await carryOut(edits, at: level, reader, &sink)
      if edits.isEmpty { return root }
    }
    // The remaining edits replace the top page.
    let pages = edits.compactMap(\.item)
    switch pages.count {
    case 0: return try await Self.store([], in: blobs)
    case 1:
      try await sink.finish()
      return try await lowestTop(pages[0], reader)
    default:
      var builder = TreeBuilder(level: top.level + 1, sink)
      for page in pages { try await builder.add(page) }
      return try await builder.finish()
    }
  }

  /// Returns the page itself, or the page below it if there is only one.
  private func lowestTop(_ item: TreeItem, _ reader: TreeReader) async throws -> TreeRoot {
    guard case .branch(let branch) = item else { return root }
    let root = TreeRoot(page: branch.page, totals: branch.totals)
    let page = try await reader.page(at: .init(root))
    return page.level > 0 && page.items.count == 1 ? try await lowestTop(page.items[0], reader) : root
  }

  /// Carries out edits of the items of one level, and returns the edits of the level above.
  ///
  /// A page is cut anew from its beginning until a cut falls on the end of a page that was there before: from there on
  /// nothing differs (DT1).
  private func carryOut(
    _ edits: [Edit], at level: UInt8, _ reader: TreeReader, _ sink: inout PageSink
  ) async throws -> [Edit] {
    var above: [Edit] = []
    var rest = edits[...]
    var cursor = TreeCursor(reader, root, level: level)
    while let first = rest.first {
      try await cursor.seek(first.path)
      var cutter = PageCutter(level: level)
      var old: [TreeBranch] = []
      var new: [TreeBranch] = []
      while true {
        let isLast = cursor.isLast
        if let branch = cursor.branch { old.append(branch) }
        for item in Self.merge(cursor.page, &rest, isLast: isLast) {
          if let cut = cutter.add(item) { try await Self.take(cut, &new, reader, &sink) }
        }
        if isLast, let cut = cutter.finish() { try await Self.take(cut, &new, reader, &sink) }
        if cutter.isEmpty { break }
        try await cursor.advance()
      }
      above += Self.edits(from: old, to: new)
    }
    return above
  }

  private static func take(
    _ cut: PageCutter.Cut, _ pages: inout [TreeBranch], _ reader: TreeReader, _ sink: inout PageSink
  ) async throws {
    pages.append(cut.branch)
    try await sink.add(cut.bytes)
    // The page may turn out to be the top.
    if let page = try? TreePage(decoding: cut.bytes) { reader.keep(page, as: cut.branch.page) }
  }

  /// Returns the items of a page after the edits that belong to it, and removes those edits from `rest`.
  private static func merge(_ page: TreePage, _ rest: inout ArraySlice<Edit>, isLast: Bool) -> [TreeItem] {
    var items: [TreeItem] = []
    for item in page.items {
      while let edit = rest.first, edit.path < item.path {
        if let new = edit.item { items.append(new) }
        rest.removeFirst()
      }
      if let edit = rest.first, edit.path == item.path {
        if let new = edit.item { items.append(new) }
        rest.removeFirst()
      } else {
        items.append(item)
      }
    }
    if isLast {
      items += rest.compactMap(\.item)
      rest = []
    }
    return items
  }

  private static func edits(from old: [TreeBranch], to new: [TreeBranch]) -> [Edit] {
    if old == new { return [] }
    var items: [PackagePath: TreeItem?] = [:]
    for branch in old { items.updateValue(nil, forKey: branch.lastPath) }
    for branch in new { items.updateValue(.branch(branch), forKey: branch.lastPath) }
    return items.sorted { $0.key < $1.key }.map { Edit(path: $0.key, item: $0.value) }
  }
}
