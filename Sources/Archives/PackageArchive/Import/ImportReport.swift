import FilePackages

/// The result of an import.
public struct ImportReport: Sendable, Hashable, Codable {
  /// The archive's format.
  public var format: ArchiveFormat
  /// The number of files, folders and links in the package.
  public var entries = 0
  /// Bytes of the package's files.
  public var bytes: UInt64 = 0
  /// Bytes of the archive.
  public var archiveBytes: UInt64 = 0
  /// The number of names that are not UTF-8. They are in a code page that `ImportOptions.charset` can name, or a Linux
  /// program chose such bytes.
  public var undecodedNames = 0
  /// Omitted paths: additions of macOS and files of file managers, as paths in the archive, and hidden folders of this
  /// library, as paths in the package. A hidden folder is one path for all its contents.
  public var leftOut: [String] = []
  /// The number of omitted files, folders and links; `entries` does not include them.
  public var leftOutEntries = 0
  /// Bytes of the omitted files; `bytes` does not include them.
  public var leftOutBytes: UInt64 = 0
  /// Files with a set-user-ID or set-group-ID bit; the package has them without that bit.
  public var privileged: [String] = []

  init(format: ArchiveFormat) {
    self.format = format
  }
}

extension ImportReport: CustomStringConvertible {
  /// One line, such as `27 entries, 4.5 MB from 1.2 MB`.
  public var description: String {
    var text = "\(counted(entries, "entry", "entries")), \(SaveReport.bytes(bytes)) from "
    text += SaveReport.bytes(archiveBytes)
    if !leftOut.isEmpty {
      let count = counted(leftOutEntries, "entry", "entries")
      text += ", left out: \(firstNames(leftOut)) (\(count), \(SaveReport.bytes(leftOutBytes)))"
    }
    return text + withoutPrivileges(privileged)
  }
}
