public import FoundationEssentials

/// Which documents are looked for, and where.
///
/// A document is a flat file or a package, which is a directory that is one document: one whose name has the extension
/// of a type that conforms to `com.apple.package` or `com.apple.bundle`, or one in which both this library's hidden
/// folder and its `Metadata.plist` are. Names that begin with a dot are skipped, as are symbolic links, and nothing
/// within a package is looked at, whatever types are asked for.
public struct DocumentSearch: Sendable {
  /// Where to look. They are searched whatever their names; one within another counts once, and one that is not there
  /// is searched when it appears.
  public var folders: [URL]
  /// Documents of a type that conforms to one of these; empty for all. Types have to be declared before the search
  /// begins.
  public var contentTypes: [UTType]
  /// Extensions, without a dot and in any case, of directories that are packages, beside those of known types.
  ///
  /// The type of such a package is a dynamic one that conforms to `.package`. A program that owns a type declares it
  /// instead, and a user may declare one to the MIME database, as a kind of `inode/directory`.
  public var packageExtensions: Set<String> = []
  /// What else a document has to be; nil for nothing else. Called on a thread of the query's, for each document
  /// that has the type, and again when one changes.
  public var predicate: (@Sendable (DocumentItem) -> Bool)?
  /// In which order results are; nil for that in which they were found.
  public var order: Order?
  /// Whether plain folders within the folders are searched, too.
  public var isRecursive = true

  /// A search for documents of these types in these folders.
  public init(
    in folders: [URL], for contentTypes: [UTType] = [], sortedBy order: Order? = nil,
    where predicate: (@Sendable (DocumentItem) -> Bool)? = nil
  ) {
    (self.folders, self.contentTypes, self.order, self.predicate) = (folders, contentTypes, order, predicate)
  }

  /// An order of documents.
  public struct Order: Sendable {
    /// Whether the first comes before the second.
    public let areInIncreasingOrder: @Sendable (DocumentItem, DocumentItem) -> Bool

    /// An order of one's own: a strict weak ordering.
    public init(_ areInIncreasingOrder: @escaping @Sendable (DocumentItem, DocumentItem) -> Bool) {
      self.areInIncreasingOrder = areInIncreasingOrder
    }

    /// By filename in byte order, and then by path.
    public static let name = Order { left, right in
      left.name == right.name ? left.path < right.path : left.name < right.name
    }
    /// By the date of the last change, the newest first.
    public static let newest = Order { left, right in
      left.modified == right.modified
        ? name.areInIncreasingOrder(left, right) : left.modified > right.modified
    }
    /// By size, the largest first; packages, whose size nobody told, last.
    public static let largest = Order { left, right in
      let (first, second) = (
        left.size.map(Int64.init(clamping:)) ?? -1, right.size.map(Int64.init(clamping:)) ?? -1
      )
      return first == second ? name.areInIncreasingOrder(left, right) : first > second
    }
  }
}

extension DocumentSearch {
  /// Looks once, and watches nothing.
  ///
  /// - Returns: the documents, in the search's order, and why some folders could not be searched.
  public func documents() async -> (items: [DocumentItem], problems: [FolderProblem]) {
    let query = DocumentQuery(self, watching: false)
    var problems: [FolderProblem] = []
    query.start()
    for await update in query {
      switch update {
      case .unreadable(let problem): problems.append(problem)
      case .finishedGathering:
        await query.stop()
        return (query.results, problems)
      case .startedGathering, .gathered, .updated, .readable: break
      }
    }
    return (query.results, problems)
  }
}
