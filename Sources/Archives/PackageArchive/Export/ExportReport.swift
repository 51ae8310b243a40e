import FilePackages

/// The result of an export.
public struct ExportReport: Sendable, Hashable, Codable {
  /// The archive's format.
  public var format: ArchiveFormat
  /// The number of files, folders and links in the archive.
  public var entries = 0
  /// Bytes of the package's files.
  public var bytes: UInt64 = 0
  /// Bytes of the archive.
  public var archiveBytes: UInt64 = 0
  /// The number of files whose compressed bytes were copied from an earlier archive.
  public var reused = 0
  /// The children that are not in the archive: FIFOs, sockets and devices, and the hidden folders with a history unless
  /// `ExportOptions.includesHistory` is true.
  public var leftOut: [String] = []
  /// Files with a set-user-ID or set-group-ID bit; the archive has them without that bit.
  public var privileged: [String] = []

  init(format: ArchiveFormat) {
    self.format = format
  }
}

extension ExportReport: CustomStringConvertible {
  /// One line, such as `27 entries, 4.5 MB in 1.2 MB`.
  public var description: String {
    var text = "\(counted(entries, "entry", "entries")), \(SaveReport.bytes(bytes)) in "
    text += SaveReport.bytes(archiveBytes)
    if reused > 0 { text += ", \(reused) taken from the earlier archive" }
    if !leftOut.isEmpty { text += ", left out: \(leftOut.map(displayString).joined(separator: ", "))" }
    text += withoutPrivileges(privileged)
    return text
  }
}
