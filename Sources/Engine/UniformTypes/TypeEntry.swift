package import FoundationEssentials

/// The known facts about one type.
///
/// Types refer to each other by key: the identifier in lower case. A parent need not be known; it is skipped until a
/// program declares it.
package struct TypeEntry: Hashable, Sendable {
  /// The identifier as its declaration spells it.
  package var identifier: String
  package var key: String
  /// The keys of the types it conforms to directly.
  package var parents: [String]
  package var tags: [UTTagClass: [String]] = [:]
  package var description: String?
  package var referenceURL: URL?
  package var version: Int?

  package init(identifier: String, parents: [String]) {
    self.identifier = identifier
    self.key = identifier.lowercased()
    self.parents = parents.map { $0.lowercased() }
  }

  /// Makes an entry from an identifier and parents that are keys already.
  package init(key: String, parents: [String]) {
    self.identifier = key
    self.key = key
    self.parents = parents
  }

  package init(_ declaration: UTType.Declaration) {
    self.init(identifier: declaration.identifier, parents: declaration.conformsTo.map(\.key))
    tags = declaration.tags.filter { !$0.value.isEmpty }
    description = declaration.description
    referenceURL = declaration.referenceURL
    version = declaration.version
  }
}
