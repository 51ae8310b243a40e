public import FoundationEssentials

/// A search: the folders, the types and the order of documents.
///
/// A document is a flat file or a package, which is a directory that is one document. A directory is a package if its
/// name has the extension of a type that conforms to `com.apple.package` or `com.apple.bundle`. A directory that holds
/// this library's hidden folder and `Metadata.plist` is a package, too. A search skips names that begin with a dot,
/// symbolic links, and everything within a package, for all types.
public struct DocumentSearch: Sendable {
  /// The folders to search, under any names.
  ///
  /// A folder within another one counts once. A missing folder is searched when it appears.
  public var folders: [URL]
  /// Documents of a type that conforms to one of these; empty for all documents.
  ///
  /// Declare the types before the search begins.
  public var contentTypes: [UTType]
  /// Extensions, without a dot and in any case, of directories that are packages, beside those of known types.
  ///
  /// The type of such a package is a dynamic one that conforms to `.package`. A program that owns a type declares it
  /// instead.
  public var packageExtensions: Set<String> = []
  /// A further condition; nil for none.
  ///
  /// The query calls it on its thread, for each document that has the type, and again after each change.
  public var predicate: (@Sendable (DocumentItem) -> Bool)?
  /// The order of the results; nil for any order.
  public var order: Order?
  /// Whether the query also searches plain folders within the folders.
  public var isRecursive = true

  /// Makes a search for documents of these types in these folders.
  public init(
    in folders: [URL], for contentTypes: [UTType] = [], sortedBy order: Order? = nil,
    where predicate: (@Sendable (DocumentItem) -> Bool)? = nil
  ) {
    (self.folders, self.contentTypes, self.order, self.predicate) = (folders, contentTypes, order, predicate)
  }

  /// The types of the search whose documents it cannot find, because no filename extension stands for them.
  ///
  /// A search knows the type of a document by its name. So it finds no documents of a type without an extension, unless
  /// types with extensions conform to it. Declare the type with its extension: `UTType.declare`, or
  /// `UTType(exportedAs:conformingTo:filenameExtension:)`.
  public var typesWithoutExtension: [UTType] {
    let general: [UTType] = [.data, .package]  // those of names that tell nothing more
    return contentTypes.filter { type in
      !general.contains { $0.conforms(to: type) } && !type.hasExtension
        && !UTType.known.contains { $0.conforms(to: type) && $0.hasExtension }
    }
  }

  /// An order of documents.
  public struct Order: Sendable {
    /// Whether the first comes before the second.
    public let areInIncreasingOrder: @Sendable (DocumentItem, DocumentItem) -> Bool

    /// Makes a custom order, which has to be a strict weak ordering.
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
  }
}

extension DocumentSearch {
  /// Searches once, without watches.
  ///
  /// - Returns: the documents in the search's order, and the reasons why some folders could not be searched.
  public func documents() async -> (items: [DocumentItem], problems: [DocumentSearch.Problem]) {
    let query = DocumentQuery(self, watching: false)
    var problems: [DocumentSearch.Problem] = []
    query.start()
    for await update in query {
      switch update {
      case .unreadable(let problem): problems.append(problem)
      case .finishedGathering:
        await query.stop()
        return (query.results, problems)
      case .startedGathering, .typesWithoutExtension, .gathered, .updated, .readable: break
      }
    }
    return (query.results, problems)
  }
}

extension UTType {
  fileprivate var hasExtension: Bool { tags[.filenameExtension]?.isEmpty == false }
}

extension DocumentSearch {
  /// A folder that cannot be searched, and the reason.
  public struct Problem: Sendable {
    /// The folder.
    public let url: URL
    /// The reason.
    public let error: FilePackageError
  }
}

extension DocumentSearch.Problem: CustomStringConvertible {
  /// The sentence of the error.
  public var description: String { error.description }
}
