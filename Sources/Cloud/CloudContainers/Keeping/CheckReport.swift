import FilePackages

/// The outcome of a check.
public struct CheckReport: Sendable {
  /// The state of a container, in one word.
  public enum Finding: String, Sendable, Hashable, CaseIterable {
    /// Every object is there.
    case whole
    /// Objects are missing or damaged.
    case damaged
    /// The store no longer has versions that this machine knows, as after a backup was restored.
    case rolledBack
    /// The store has no object.
    case empty
    /// The store has objects, and is no container.
    case noContainer
    /// The store has another container than the one of the folder.
    case anotherContainer
  }

  /// The state of the container.
  public var finding = Finding.whole
  /// The documents, with the deleted ones.
  public var documents = 0
  /// The versions.
  public var versions = 0
  /// The blobs that they need.
  public var blobs = 0
  /// The errors of objects that are missing or damaged.
  public var problems: [any Error] = []

  /// Whether every object is there, and whole as far as it was read.
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
