package import FoundationEssentials

/// The known facts about one type.
///
/// Types refer to each other by key: the identifier in lower case. A parent need not be known; it is skipped until a
/// program declares it.
package struct TypeEntry: Hashable, Sendable {
  /// The identifier as its declaration spells it.
  package let identifier: String
  package let key: String
  /// The keys of the types it conforms to directly.
  package var parents: [String]
  package let tags: [UTTagClass: [String]]
  package private(set) var description: String?
  package private(set) var referenceURL: URL?
  package private(set) var version: Int?

  package init(identifier: String, parents: [String], tags: [UTTagClass: [String]] = [:]) {
    self.identifier = identifier
    key = identifier.lowercased()
    self.parents = parents.map { $0.lowercased() }
    self.tags = tags
  }

  /// Makes an entry of a core type, whose identifier and parents are keys already.
  init(key: String, parents: [String], tags: [UTTagClass: [String]], description: String) {
    identifier = key
    self.key = key
    self.parents = parents
    self.tags = tags
    self.description = description
  }

  package init(_ declaration: UTType.Declaration) {
    self.init(
      identifier: declaration.identifier, parents: declaration.conformsTo.map(\.key),
      tags: declaration.tags.filter { !$0.value.isEmpty })
    description = declaration.description
    referenceURL = declaration.referenceURL
    version = declaration.version
  }
}
