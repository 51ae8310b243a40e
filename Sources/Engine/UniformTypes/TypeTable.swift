/// Entries by identifier and by tag; the first entry of an identifier stays.
package struct TypeTable: Sendable {
  private var entries: [String: TypeEntry] = [:]
  private var keys: [TypeTag: [String]] = [:]

  package init() {}

  package init(minimumCapacity: Int) {
    entries.reserveCapacity(minimumCapacity)
    keys.reserveCapacity(minimumCapacity * 3)
  }

  package subscript(_ key: String) -> TypeEntry? { entries[key] }

  /// Returns the keys of the types that have a tag, in the order in which they were added.
  package func keys(_ tag: TypeTag) -> [String] { keys[tag] ?? [] }

  /// Every identifier, in no order.
  package var identifiers: [String] { entries.values.map(\.identifier) }

  package mutating func add(_ entry: TypeEntry) {
    add(entry) { TypeTag($0, tagClass: $1) }
  }

  /// Adds an entry whose tags are in canonical form, without checking their letters.
  package mutating func add(canonical entry: TypeEntry) {
    add(entry) { TypeTag(canonical: $0, tagClass: $1) }
  }

  private mutating func add(_ entry: TypeEntry, tag: (String, UTTagClass) -> TypeTag?) {
    guard entries[entry.key] == nil else { return }
    entries[entry.key] = entry
    for (tagClass, tags) in entry.tags {
      for text in tags {
        guard let tag = tag(text, tagClass) else { continue }
        // An equal key can only be the last one: a type may list a tag twice.
        if keys[tag]?.last != entry.key { keys[tag, default: []].append(entry.key) }
      }
    }
  }
}
