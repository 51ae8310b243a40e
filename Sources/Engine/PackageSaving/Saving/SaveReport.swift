import PackageFormat

/// The effects of a save.
public struct SaveReport: Sendable, Hashable, Codable {
  /// The number of the state that was saved; nil for a package without metadata.
  public var generation: Int?
  /// The way in which the save was made.
  public var strategy: Strategy
  /// The children written or copied and the folders made, as paths in byte order.
  public var written: [String] = []
  /// The children removed; a folder stands for its whole content.
  public var removed: [String] = []
  /// The number of files and links that stayed as they were, also those that moved.
  ///
  /// In a new document it counts the files that share their blocks with their originals. After a save in place it comes
  /// from the metadata, and is 0 in a package that has none.
  public var reused = 0
  /// Bytes of files written, the metadata included.
  public var bytesWritten: UInt64 = 0
  /// Bytes of files that stayed.
  public var bytesReused: UInt64 = 0
  /// The number of times that the save waited for the disk in fsync(2) or fdatasync(2).
  public var synchronizations = 0
  /// FIFOs, sockets and devices in the package, which a save does not touch; a copy has none of them.
  public var leftAlone: [String] = []
  /// Hidden folders with a history, and leftovers beside documents, that a copy does not have.
  public var leftOut: [String] = []
  /// The number of unchanged files that were copied into the new state, since they could not be hard links. The copies
  /// share blocks if the file system can share them.
  public var copied = 0

  /// Whether other programs see the new state. If not, it is durable all the same, and the next save or the next
  /// opening publishes it.
  public var isPublished = true
  /// The children that another program wrote during this save. The package has both contents, one of them in the hidden
  /// folder.
  public var conflicts: [String] = []
  /// The work that is left, though the new state is saved.
  public var warnings: [SaveWarning] = []

  package init(strategy: Strategy) {
    self.strategy = strategy
  }

  /// A way of saving.
  public enum Strategy: String, Sendable, Codable, CaseIterable {
    /// In place: a record in the log commits the save.
    case log
    /// A whole new state beside the old one, and then an exchange.
    case staged
    /// A transaction of the document's database.
    case database
    /// There was nothing to save.
    case none
  }
}

extension SaveReport: CustomStringConvertible {
  /// One line, such as `wrote Metadata.plist, Text.txt (4.5 KB), reused 998 (4.1 MB)`. Up to four names are listed, more
  /// are counted.
  public var description: String {
    if strategy == .none { return "nothing to save" }
    var parts = ["wrote \(Self.list(written)) (\(Self.bytes(bytesWritten)))"]
    if !removed.isEmpty { parts.append("removed \(Self.list(removed))") }
    if reused > 0 { parts.append("reused \(reused) (\(Self.bytes(bytesReused)))") }
    if !isPublished {
      let isLate = warnings.contains { $0.kind == .unpublished }
      parts.append(isLate ? "not yet visible to other programs" : "being published")
    }
    if !conflicts.isEmpty { parts.append("conflicts with another program: \(Self.list(conflicts))") }
    if copied > 0 { parts.append("\(copied) copied, because hard links are not possible") }
    if !leftAlone.isEmpty { parts.append("left alone: \(Self.list(leftAlone))") }
    if !leftOut.isEmpty { parts.append("left out: \(Self.list(leftOut))") }
    return parts.joined(separator: ", ")
  }

  private static func list(_ paths: [String]) -> String {
    guard (1...4).contains(paths.count) else { return "\(paths.count)" }
    return paths.map(displayString).joined(separator: ", ")
  }

  /// Returns a number of bytes for people, in units of 1,000.
  package static func bytes(_ count: UInt64) -> String {
    let units = ["KB", "MB", "GB", "TB", "PB", "EB"]
    if count < 1000 { return "\(count) B" }
    var tenths = count / 100
    for unit in units {
      if tenths < 10_000 {
        return tenths < 1000 ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(tenths / 10) \(unit)"
      }
      tenths /= 1000
    }
    return "\(count) B"
  }
}
