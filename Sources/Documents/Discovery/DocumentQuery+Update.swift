public import FilePackages
public import FoundationEssentials

extension DocumentQuery {
  /// What a query tells.
  public enum Update: Sendable {
    /// A gathering begins: what was told before counts no more.
    case startedGathering
    /// Documents that the gathering found, none of them told before.
    case gathered([DocumentItem])
    /// All that there is has been told; from now on the query tells what changes.
    case finishedGathering
    /// What became of the documents since they were told.
    case updated(Changes)
    /// A folder cannot be searched: it is not there, or no longer, or may not be read. What was found in it before
    /// is told as removed. It is tried again.
    case unreadable(FolderProblem)
    /// A folder that could not be searched now is, or is no longer among those that are to be.
    case readable(URL)
  }

  /// What became of documents, each named once.
  ///
  /// Whoever keeps the results by place takes out `removed` and the old places of `moved`, and then puts in the rest.
  public struct Changes: Sendable {
    /// Documents that came.
    public internal(set) var added: [DocumentItem] = []
    /// Documents that are where they were, with other attributes, with something in them written, or replaced by
    /// others of the same name.
    public internal(set) var changed: [DocumentItem] = []
    /// Documents that have another path, or that are in a folder that has; they may have changed, too.
    public internal(set) var moved: [Move] = []
    /// Documents that are gone, or that the search does not ask for any more, as they were told last.
    public internal(set) var removed: [DocumentItem] = []

    var isEmpty: Bool { added.isEmpty && changed.isEmpty && moved.isEmpty && removed.isEmpty }
  }

  /// A document that has another path.
  public struct Move: Sendable, Hashable {
    /// The document as it was told last.
    public let old: DocumentItem
    /// The document as it is.
    public let new: DocumentItem
  }
}

/// A folder that cannot be searched, and why.
public struct FolderProblem: Sendable {
  /// The folder.
  public let folder: URL
  /// The reason.
  public let error: FilePackageError
}
