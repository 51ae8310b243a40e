import FilePackages

/// The outcome of a check.
public struct CheckReport: Sendable, Encodable {
  /// The state of a container.
  public enum Finding: String, Sendable, Hashable, CaseIterable, Encodable {
    /// No object is missing or damaged.
    case whole
    /// Objects are missing or damaged.
    case damaged
    /// The store no longer has versions that this machine knows, as after a backup was restored.
    case rolledBack
    /// The store has no object.
    case empty
    /// The store has objects, but no container.
    case noContainer
    /// The store has another container than the one of the folder.
    case anotherContainer
  }

  /// The state of the container.
  public var finding = Finding.whole
  /// The number of documents, including deleted ones.
  public var documents = 0
  /// The number of versions.
  public var versions = 0
  /// The number of blobs that the versions need.
  public var blobs = 0
  /// The errors of missing and damaged objects, and of a store without this container.
  public var problems: [CloudDataError] = []

  /// Whether no object is missing, and no object that was read is damaged.
  public var isWhole: Bool { problems.isEmpty }

  /// Makes an empty report.
  public init() {}
}

extension CheckReport: CustomStringConvertible {
  /// One line, and one for each problem.
  public var description: String {
    let facts =
      "\(counted(documents, "document")), \(counted(versions, "version")), \(counted(blobs, "blob")): "
      + finding.words + (isWhole ? "" : ", \(counted(problems.count, "problem"))")
    return ([facts] + problems.map { "\($0)" }).joined(separator: "\n")
  }
}

extension CheckReport.Finding {
  fileprivate var words: String {
    switch self {
    case .whole: "all there"
    case .damaged: "damaged"
    case .rolledBack: "rolled back"
    case .empty: "the store is empty"
    case .noContainer: "the store is no container"
    case .anotherContainer: "the store has another container"
    }
  }
}
