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
  /// What macOS had added for itself, and a hidden folder of this library's.
  public var leftOut: [String] = []
  /// Files that would run with the rights of their owner or group: they are in the package without that bit.
  public var privileged: [String] = []

  init(format: ArchiveFormat) {
    self.format = format.rawValue
  }
}

extension ImportReport: CustomStringConvertible {
  /// One line, such as `27 entries, 4.5 MB from 1.2 MB`.
  public var description: String {
    var text = "\(entries) \(entries == 1 ? "entry" : "entries"), \(SaveReport.bytes(bytes)) from "
    text += SaveReport.bytes(archiveBytes)
    if !leftOut.isEmpty {
      let names = leftOut.prefix(4).map(displayString).joined(separator: ", ")
      text += ", left out: \(names)" + (leftOut.count > 4 ? " and \(leftOut.count - 4) more" : "")
    }
    return text + ExportReport.withoutPrivileges(privileged)
  }
}
