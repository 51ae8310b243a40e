/// Entries by identifier and by tag; the first entry of an identifier stays.
package struct TypeTable: Sendable {
  private var entries: [String: TypeEntry] = [:]
  private var keysOfTags: [TypeTag: [String]] = [:]

  package subscript(_ key: String) -> TypeEntry? { entries[key] }

  /// The keys of all types, in no order.
  package var keys: [String] { Array(entries.keys) }

  /// Returns the keys of the types that have a tag, in the order in which they were added.
  package func keys(_ tag: TypeTag) -> [String] { keysOfTags[tag] ?? [] }

  package mutating func add(_ entry: TypeEntry) {
    add(entry) { TypeTag($0, tagClass: $1) }
  }

  /// Adds an entry whose tags are in canonical form, without checking their letters.
  mutating func add(core entry: TypeEntry) {
    add(entry) { TypeTag(canonical: $0, tagClass: $1) }
  }

  private mutating func add(_ entry: TypeEntry, tag: (String, UTTagClass) -> TypeTag?) {
    guard entries[entry.key] == nil else { return }
    entries[entry.key] = entry
    for (tagClass, tags) in entry.tags {
      for tag in tags.compactMap({ tag($0, tagClass) }) where keysOfTags[tag]?.last != entry.key {
        // An equal key can only be the last one: a type may list a tag twice.
        keysOfTags[tag, default: []].append(entry.key)
      }
    }
  }
}
