import FilePackages

/// The work of one `CloudContainer.sync()`.
public struct SyncReport: Sendable {
  /// The work on one document.
  public struct Document: Sendable {
    /// The document's name.
    public var name: String
    /// The name that the document had before, if it got another one.
    public var oldName: String?
    /// Whether this device uploaded a new version.
    public var uploaded = false
    /// Whether this device downloaded the container's content.
    public var downloaded = false
    /// Whether changes of both sides became one version.
    public var merged = false
    /// Whether changes of both sides excluded each other, so that a conflict version was made.
    public var conflict = false
    /// The children, in byte order, that stay although one side removed them, because the other side changed them.
    public var kept: [String] = []
    /// Whether this device deleted the document in the container.
    public var deleted = false
    /// Whether this device removed the document because another device deleted it.
    public var removed = false
    /// The reason why the document is not up to date; nil if it is.
    public var error: (any Error)?

    /// Whether the container's content came, or the reason why the document is not up to date.
    var download: Result<Bool, any Error> { error.map { .failure($0) } ?? .success(downloaded || merged) }

    /// Whether anything happened.
    var isNews: Bool {
      oldName != nil || uploaded || downloaded || merged || conflict || deleted || removed || error != nil
    }
  }

  /// The documents on which work was done or failed, in the order of their names.
  public internal(set) var documents: [Document] = []
  /// The number of documents with a new version of another device.
  public internal(set) var discovered = 0
  /// The names of documents whose last version the store had lost. This device uploads its content again, unless
  /// `problems` has the reason against it.
  public internal(set) var lost: [String] = []
  /// The items in the container folder that are not documents, such as links, each with the reason.
  public internal(set) var leftOut: [String] = []
  /// The errors that may hide documents or changes: folders, and versions in the container, that could not be read.
  public internal(set) var problems: [any Error] = []

  /// The documents that are not up to date.
  public var failures: [Document] { documents.filter { $0.error != nil } }
}

extension SyncReport.Document {
  /// The words for its news, in order: `renamed`, `downloaded`, `merged`, `uploaded`, `conflict`, `deleted`,
  /// `removed`, `failed`.
  package var events: [String] {
    let news = [
      (oldName != nil, "renamed"), (downloaded, "downloaded"), (merged, "merged"), (uploaded, "uploaded"),
      (conflict, "conflict"), (deleted, "deleted"), (removed, "removed"), (error != nil, "failed"),
    ]
    return news.filter(\.0).map(\.1)
  }
}

extension SyncReport.Document: CustomStringConvertible {
  /// One line, such as `downloaded, merged Trip.imageNotes`, with the reason of a failure behind it.
  public var description: String {
    let reason = error.map { ": \(sentence(of: $0))" } ?? ""
    let old = oldName.map { " (was \(displayString($0)))" } ?? ""
    return "\(events.joined(separator: ", ")) \(displayString(name))\(old)\(reason)"
  }
}

extension SyncReport: CustomStringConvertible {
  /// One line for each lost version, omitted item, document and problem, and one for the number of new documents.
  ///
  /// It is `nothing to do` if there are none.
  public var description: String {
    var lines = lost.map { "the store had lost the last version of \(displayString($0))" }
    lines += leftOut.map { "left out \($0)" } + documents.map(\.description)
    lines += problems.map { sentence(of: $0) }
    if discovered > 0 { lines.append("\(counted(discovered, "document")) new in the container") }
    return lines.isEmpty ? "nothing to do" : lines.joined(separator: "\n")
  }
}
