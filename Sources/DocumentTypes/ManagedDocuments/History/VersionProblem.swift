import FoundationEssentials

/// The reason why a version cannot be read or restored.
enum VersionProblem: Error, Sendable, Hashable {
  /// The document has no such version.
  case noSuchVersion(UUID)
  /// The document keeps no versions.
  case noHistory
  /// A row is not as the history has it.
  case conflict(ChangeConflict)
  /// The version has other tables than the document, and the program has no migrator for them.
  case otherTables

  var reason: String {
    switch self {
    case .noSuchVersion(let revision): "it has no version \(revision.uuidString)"
    case .noHistory: "it keeps no versions"
    case .conflict(let conflict):
      "a program without this library changed rows\(conflict.table.map { " of table '\($0)'" } ?? "") "
        + "that the version needs; nothing was changed"
    case .otherTables:
      "the version has other tables; restore it with the application, or write it to another place"
    }
  }
}
