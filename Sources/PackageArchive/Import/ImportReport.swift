import FilePackages

/// What an import did.
public struct ImportReport: Sendable, Hashable, Codable {
  /// The archive's format, such as `tar.zst`.
  public var format: String
  /// Files, folders and links in the package.
  public var entries = 0
  /// Bytes of the package's files.
  public var bytes: UInt64 = 0
  /// Bytes of the archive.
  public var archiveBytes: UInt64 = 0
  /// Names that are not UTF-8: in a code page that `ImportOptions.charset` can name, or made so on a Linux disk.
  public var undecodedNames = 0
  /// What macOS had added for itself, and a hidden folder of this library's, which stands for all that is in it.
  public var leftOut: [String] = []
  /// Files, folders and links that were left out; they are not among `entries`.
  public var leftOutEntries = 0
  /// Bytes of the files that were left out; they are not among `bytes`.
  public var leftOutBytes: UInt64 = 0
  /// Files that would run with the rights of their owner or group: they are in the package without that bit.
  public var privileged: [String] = []

  init(format: ArchiveFormat) {
    self.format = format.rawValue
  }
}

extension ImportReport: CustomStringConvertible {
  /// One line, such as `27 entries, 4.5 MB from 1.2 MB`.
  public var description: String {
    var text = "\(counted(entries, "entry", "entries")), \(SaveReport.bytes(bytes)) from "
    text += SaveReport.bytes(archiveBytes)
    if !leftOut.isEmpty {
      let count = "\(leftOutEntries) \(leftOutEntries == 1 ? "entry" : "entries")"
      text += ", left out: \(leftOutNames) (\(count), \(SaveReport.bytes(leftOutBytes)))"
    }
    return text + ExportReport.withoutPrivileges(privileged)
  }

  /// The first few of what was left out.
  var leftOutNames: String {
    leftOut.prefix(4).map(displayString).joined(separator: ", ")
      + (leftOut.count > 4 ? " and \(leftOut.count - 4) more" : "")
  }
}
