public import FilePackages
public import FoundationEssentials

extension DocumentQuery {
  /// One piece of news from a query.
  public enum Update: Sendable {
    /// A gathering begins: all earlier updates are void.
    case startedGathering
    /// The query finds no documents of these types, because no extension tells them.
    ///
    /// It follows `startedGathering`, if there are any. `DocumentSearch.typesWithoutExtension` says what helps.
    case typesWithoutExtension([UTType])
    /// Documents that the gathering found; each is told once.
    case gathered([DocumentItem])
    /// The gathering is complete; the following updates tell changes.
    case finishedGathering
    /// The changes of documents since they were told.
    case updated(Changes)
    /// The query cannot search a folder: it does not exist, or may not be read.
    ///
    /// The documents that it held are told as removed. The query tries the folder again.
    case unreadable(DocumentSearch.Problem)
    /// The query can search an unreadable folder again, or the folder is no longer part of the search.
    case readable(URL)
  }

  /// The changes of documents; each document appears once.
  ///
  /// To apply them by place, first take out `removed` and the old places of `moved`, then put in the rest.
  public struct Changes: Sendable {
    /// New documents.
    public internal(set) var added: [DocumentItem] = []
    /// Documents at their old path: with new attributes, with written children, or replaced by a document of the same
    /// name.
    public internal(set) var changed: [DocumentItem] = []
    /// Documents with a new path, or in a folder with a new path; they may have changed, too.
    public internal(set) var moved: [Move] = []
    /// Documents that are gone or that the search no longer wants, as they were told last.
    public internal(set) var removed: [DocumentItem] = []

    var isEmpty: Bool { added.isEmpty && changed.isEmpty && moved.isEmpty && removed.isEmpty }
  }

  /// A document with a new path.
  public struct Move: Sendable, Hashable {
    /// The document as it was told last.
    public let old: DocumentItem
    /// The document with its new path.
    public let new: DocumentItem
  }
}

extension DocumentQuery.Changes: CustomStringConvertible {
  /// A line for each document, such as `added /Notes/Trip.imageNotes`, in the order in which a list applies them.
  public var description: String {
    let lines =
      removed.map { "removed \($0)" } + moved.map { "moved \($0)" } + changed.map { "changed \($0)" }
      + added.map { "added \($0)" }
    return lines.joined(separator: "\n")
  }
}

extension DocumentQuery.Move: CustomStringConvertible {
  /// Both paths, such as `/Notes/A.imageNotes -> /Notes/B.imageNotes`.
  public var description: String { "\(old) -> \(new)" }
}

extension DocumentQuery.Update: CustomStringConvertible {
  /// A line for each document or folder of the news.
  public var description: String {
    switch self {
    case .startedGathering: "started gathering"
    case .typesWithoutExtension(let types):
      "no extension tells \(types.map(\.description).joined(separator: ", "))"
    case .gathered(let items): items.map { "found \($0)" }.joined(separator: "\n")
    case .finishedGathering: "finished gathering"
    case .updated(let changes): changes.description
    case .unreadable(let problem): problem.description
    case .readable(let folder): "readable again: \(displayString(folder.path))"
    }
  }
}
