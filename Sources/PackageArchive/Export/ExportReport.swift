import FilePackages

/// What an export did.
public struct ExportReport: Sendable, Hashable, Codable {
  /// The archive's format, such as `tar.zst`.
  public var format: String
  /// Files, folders and links in the archive.
  public var entries = 0
  /// Bytes of the package's files.
  public var bytes: UInt64 = 0
  /// Bytes of the archive.
  public var archiveBytes: UInt64 = 0
  /// Files whose compressed bytes were taken from an earlier archive.
  public var reused = 0
  /// FIFOs, sockets and devices, which no archive gets.
  public var leftOut: [String] = []
  /// Files that run with the rights of their owner or group: they are in the archive without that bit.
  public var privileged: [String] = []

  /// What is in the way of an import with its usual options, each kind once; the archive has it all the same.
  public var obstacles: [ImportObstacle] = []

  init(format: ArchiveFormat) {
    self.format = format.rawValue
  }
}

extension ExportReport: CustomStringConvertible {
  /// One line, such as `27 entries, 4.5 MB in 1.2 MB`.
  public var description: String {
    var text = "\(counted(entries, "entry", "entries")), \(SaveReport.bytes(bytes)) in "
    text += SaveReport.bytes(archiveBytes)
    if reused > 0 { text += ", \(reused) taken from the earlier archive" }
    if !leftOut.isEmpty { text += ", left out: \(leftOut.map(displayString).joined(separator: ", "))" }
    text += Self.withoutPrivileges(privileged)
    return text
  }
}

extension ExportReport {
  /// The end of a line that says which files lost their set-user-ID or set-group-ID bits.
  static func withoutPrivileges(_ paths: [String]) -> String {
    if paths.isEmpty { return "" }
    let names = paths.prefix(4).map(displayString).joined(separator: ", ")
    return ", without set-user-ID and set-group-ID: \(names)"
      + (paths.count > 4 ? " and \(paths.count - 4) more" : "")
  }
}
