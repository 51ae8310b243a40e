import DurableIO
public import FoundationEssentials
import SystemPackage

/// Edits that could not be saved in the document's own place, kept in another one: ordinary files in a folder.
///
///     0C1D…-….recovery/
///         Recovery.json     which document it is of, and what the edits removed
///         Contents/         the children that the edits made or changed, under their paths
public struct RecoveryCopy: Sendable, Hashable, Identifiable {
  /// Why it was made.
  public enum Kind: String, Sendable, Codable {
    /// The edits of a document that could not be saved.
    case edits
    /// What another program wrote into a single-file document that was edited here, too.
    case conflict
  }

  /// What `Recovery.json` says.
  struct Record: Codable, Hashable {
    var kind: Kind
    /// The document's path.
    var document: String
    /// The identifier in the package's metadata.
    var identifier: String?
    var contentType: String
    /// The state of the document that the edits were made over.
    var baseRevision: String?
    var saved: Date
    var removed: [String]
  }

  /// The folder that holds it.
  public let url: URL
  let record: Record

  /// The folder, which no other copy has.
  public var id: URL { url }
  /// Why it was made.
  public var kind: Kind { record.kind }
  /// The path that the document had.
  public var document: String { record.document }
  /// When it was made.
  public var date: Date { record.saved }
  /// The identifier of the document's type.
  public var contentType: String { record.contentType }

  init(url: URL, record: Record) {
    (self.url, self.record) = (url, record)
  }

  /// Describes a copy, for tests of what is done with one.
  package init(url: URL, kind: Kind, document: String, contentType: String, date: Date) {
    let record = Record(
      kind: kind, document: document, identifier: nil, contentType: contentType,
      baseRevision: nil, saved: date, removed: [])
    self.init(url: url, record: record)
  }

  /// Where recovery copies are kept where nothing else is said: `filepackages/recovery` in `$XDG_STATE_HOME`, which is
  /// `~/.local/state` by default.
  public static var defaultFolder: URL? {
    let environment = ProcessInfo.processInfo.environment
    let home: String
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
      home = state
    } else if let user = environment["HOME"], user.hasPrefix("/") {
      home = user + "/.local/state"
    } else {
      return nil
    }
    return URL(filePath: home + "/filepackages/recovery", directoryHint: .isDirectory)
  }
}

extension RecoveryCopy.Record {
  /// Whether the copy is of the document of another record: of what has its path; and where nothing has that path any
  /// more, of the package with its identifier, or of the file in the state that the edits were made over, which was
  /// moved. While the first one is in its place, what has the same identifier is a copy of it.
  func isOf(_ document: Self, documentsOn disk: any Disk) -> Bool {
    if self.document == document.document { return true }
    let isSame =
      identifier != nil || document.identifier != nil
      ? identifier == document.identifier
      : baseRevision != nil && baseRevision == document.baseRevision
    return isSame && !disk.hasEntry(at: FilePath(self.document))
  }
}

extension Disk {
  /// Whether something stands there; true where that cannot be told.
  fileprivate func hasEntry(at path: FilePath) -> Bool {
    guard let name = path.lastComponent else { return true }
    do {
      let folder = try openDirectory(at: path.removingLastComponent())
      return try statusIfPresent(of: FileName(name), in: folder) != nil
    } catch {
      return error.code != .noSuchFileOrDirectory
    }
  }
}
