/// The types that this process has declared or only named.
package struct DeclaredTypes: Sendable {
  package private(set) var exported = TypeTable()
  package private(set) var imported = TypeTable()
  /// Types of `UTType(exportedAs:)` and `UTType(importedAs:)` without a declaration: no tags, only parents.
  private var named: [String: TypeEntry] = [:]

  package init() {}

  package mutating func export(_ entry: TypeEntry) { exported.add(entry) }

  /// Adds an import; ignores one that repeats an earlier one.
  package mutating func `import`(_ entry: TypeEntry) { imported.add(entry) }

  /// Remembers a name. Parents add up, so that the order of two calls does not matter.
  package mutating func name(_ identifier: String, parent: String?) {
    let key = identifier.lowercased()
    var entry = named[key] ?? TypeEntry(identifier: identifier, parents: [])
    if let parent, !entry.parents.contains(parent) { entry.parents.append(parent) }
    if named[key] != entry { named[key] = entry }
  }

  package func named(_ key: String) -> TypeEntry? { named[key] }
}
