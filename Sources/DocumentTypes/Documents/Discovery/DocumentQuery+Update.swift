public import FilePackages
public import FoundationEssentials

extension DocumentQuery {
  /// A message of a query to a listener.
  public enum Update: Sendable {
    /// A gathering begins: all earlier updates are void.
    case startedGathering
    /// The query finds no documents of these types, because no filename extension stands for them.
    ///
    /// It follows `startedGathering` if there are such types. `DocumentSearch.typesWithoutExtension` names the remedy.
    case typesWithoutExtension([UTType])
    /// Documents that the gathering found; each is reported once.
    case gathered([DocumentItem])
    /// The gathering is complete; the following updates report changes.
    case finishedGathering
    /// The changes of documents since the query last reported them.
    case updated(Changes)
    /// The query cannot search a folder, which is missing or unreadable.
    ///
    /// The query reports the documents of the folder as removed, and tries the folder again later.
    case unreadable(DocumentSearch.Problem)
    /// The query can search an unreadable folder again, or the folder is no longer part of the search.
    case readable(URL)
  }

  /// The changes of documents; each document appears once.
  ///
  /// To apply them to a list by path, first remove `removed` and the old paths of `moved`, then insert the rest.
  public struct Changes: Sendable {
    /// New documents.
    public internal(set) var added: [DocumentItem] = []
    /// Documents at their old path: with new attributes, with written children, or replaced by a document of the same
    /// name.
    public internal(set) var changed: [DocumentItem] = []
    /// Documents with a new path, or in a folder with a new path; they may have changed, too.
    public internal(set) var moved: [Move] = []
    /// Documents that no longer exist or no longer match the search, as the query last reported them.
    public internal(set) var removed: [DocumentItem] = []

    var isEmpty: Bool { added.isEmpty && changed.isEmpty && moved.isEmpty && removed.isEmpty }
  }

  /// A document with a new path.
  public struct Move: Sendable, Hashable {
    /// The document as the query last reported it.
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
  /// A line for each document or folder of the update.
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
