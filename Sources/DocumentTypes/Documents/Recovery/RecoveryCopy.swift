import DurableIO
import FilePackages
public import FoundationEssentials
import SystemPackage

/// Edits that could not be saved in the document's own place, saved as ordinary files in a folder elsewhere.
///
///     0C1D…-….recovery/
///         Recovery.json     the document's path and type, and the children that the edits removed
///         Contents/         the children that the edits made or changed, under their paths
public struct RecoveryCopy: Sendable, Hashable, Identifiable {
  /// The fields of `Recovery.json`.
  struct Record: Codable, Hashable {
    /// The document's path.
    var document: String
    /// The identifier in the package's metadata.
    var identifier: String?
    var contentType: String
    /// The state of the document under the edits.
    var baseRevision: String?
    var saved: Date
    var removed: [String]
  }

  /// The folder of the copy.
  public let url: URL
  let record: Record

  /// The folder, which no other copy has.
  public var id: URL { url }
  /// The document's place at the time of the copy.
  public var documentURL: URL { URL(filePath: record.document) }
  /// The time of the copy.
  public var modificationDate: Date { record.saved }
  /// The type of the document.
  public var contentType: UTType { UTType(unchecked: record.contentType) }

  init(url: URL, record: Record) {
    (self.url, self.record) = (url, record)
  }

  /// Describes a copy, for tests.
  package init(url: URL, document: String, contentType: UTType, date: Date) {
    let record = Record(
      document: document, identifier: nil, contentType: contentType.identifier,
      baseRevision: nil, saved: date, removed: [])
    self.init(url: url, record: record)
  }

  /// The default folder of recovery copies: `filepackages/recovery` in `$XDG_STATE_HOME`, which is `~/.local/state` by
  /// default.
  public static var defaultFolder: URL? {
    URL(inUserFolder: "XDG_STATE_HOME", or: ".local/state", "filepackages/recovery")
  }
}

extension RecoveryCopy.Record {
  /// Returns whether the copy belongs to the document of another record, which is the document at the copy's path.
  ///
  /// If nothing has that path any more, the document may have moved. Then the copy belongs to the package with its
  /// identifier, or to the flat file in the state under the edits. While the path is taken, a document with the same
  /// identifier elsewhere is a duplicate.
  func isOf(_ document: Self, documentsOn disk: any Disk) -> Bool {
    if self.document == document.document { return true }
    let isSame =
      identifier != nil || document.identifier != nil
      ? identifier == document.identifier
      : baseRevision != nil && baseRevision == document.baseRevision
    return isSame && !disk.hasEntry(at: FilePath(self.document))
  }
}

extension URL {
  /// Makes the URL of a folder in one of the user's folders (XDG Base Directory Specification).
  ///
  /// - Parameters:
  ///   - variable: the name of the environment's variable that has the user's folder.
  ///   - usual: the user's folder without that variable, in the home.
  /// - Returns: nil if the environment names no home either.
  init?(inUserFolder variable: String, or usual: String, _ path: String) {
    let environment = ProcessInfo.processInfo.environment
    let home = environment["HOME"].map { "\($0)/\(usual)" }
    guard let folder = [environment[variable], home].compactMap({ $0 }).first(where: { $0.hasPrefix("/") })
    else {
      return nil
    }
    self.init(filePath: "\(folder)/\(path)", directoryHint: .isDirectory)
  }
}

extension Disk {
  /// Returns whether something has this path; true if that cannot be told.
  func hasEntry(at path: FilePath) -> Bool {
    guard let name = path.lastComponent else { return true }
    do {
      let folder = try openDirectory(at: path.removingLastComponent())
      return try statusIfPresent(of: FileName(name), in: folder) != nil
    } catch {
      return error.code != .noSuchFileOrDirectory
    }
  }
}

extension RecoveryCopy: CustomStringConvertible {
  /// One line with the document, the date and the place of the copy.
  public var description: String {
    let (document, place) = (displayString(documentURL.path), displayString(url.path))
    return "unsaved edits of '\(document)', \(localTime(modificationDate)), in '\(place)'"
  }
}
