/// What a save did.
public struct SaveReport: Sendable, Hashable, Codable {
  /// The number of the state that was saved; nil for a package that has no metadata of ours.
  public var generation: Int?
  /// How it was saved: `journal`, in place; `staged`, beside the old state; or `none` where there was nothing to
  /// do.
  public var strategy: String
  /// The children written or copied and the folders made, as paths in byte order.
  public var written: [String] = []
  /// The children removed; a folder stands for all that was in it.
  public var removed: [String] = []
  /// The files and links that stayed as they were, also those that moved; in a new document, files that share their
  /// blocks with those that they are copies of; after a save in place, as many as the
  /// metadata has, and 0 in a package that has none.
  public var reused = 0
  /// Bytes of files written, the metadata included; not those of holes.
  public var bytesWritten: UInt64 = 0
  /// Bytes of files that stayed.
  public var bytesReused: UInt64 = 0
  /// How many times the save waited for the disk to keep what was written: fsync(2), fdatasync(2). After
  /// `close(after:)`, what ending it waited for is in it, too.
  public var synchronizations = 0
  /// FIFOs, sockets and devices in the package, which were left alone; a copy has none of them.
  public var leftAlone: [String] = []
  /// How unchanged files came into the new state, where they could not be hard links: how many were copied,
  /// by sharing their blocks where the file system can.
  public var copied = 0
  /// A hidden directory beside the package that could not be removed; the next save tries again.
  public var leftover: String?

  /// Whether other programs see the new state. Where they do not, it survives a power cut all the same, and is
  /// published by the next save or the next opening.
  public var isPublished = true
  /// The children at whose places another program wrote something while this was saved. Both contents are kept,
  /// one of them in the hidden folder.
  public var conflicts: [String] = []
  /// What the file system cannot do and was gone around.
  public var fallbacks: [String] = []
  /// What is left to be done, though the new state is saved.
  public var warnings: [SaveWarning] = []

  init(strategy: String) {
    self.strategy = strategy
  }
}

extension SaveReport: CustomStringConvertible {
  /// One line, such as `wrote Metadata.plist, Text.txt (4.5 KB), removed 0, reused 998 (4.1 MB), 5
  /// synchronizations`. Up to four names are listed, more are counted.
  public var description: String {
    if strategy == "none" { return "nothing to save" }
    var parts = [
      "wrote \(Self.list(written)) (\(Self.bytes(bytesWritten)))", "removed \(Self.list(removed))",
    ]
    // In place nobody counts what stays, unless the metadata has it.
    if strategy != "journal" || generation != nil {
      parts.append("reused \(reused) (\(Self.bytes(bytesReused)))")
    }
    parts.append(counted(synchronizations, "synchronization"))
    if !isPublished {
      let isLate = warnings.contains { $0.kind == .unpublished }
      parts.append(isLate ? "not yet visible to other programs" : "being published")
    }
    if !conflicts.isEmpty { parts.append("kept what another program wrote: \(Self.list(conflicts))") }
    if !fallbacks.isEmpty { parts.append("the file system has \(fallbacks.joined(separator: ", "))") }
    if copied > 0 { parts.append("\(copied) copied for want of hard links") }
    if !leftAlone.isEmpty { parts.append("left alone: \(Self.list(leftAlone))") }
    return parts.joined(separator: ", ")
  }

  private static func list(_ paths: [String]) -> String {
    guard (1...4).contains(paths.count) else { return "\(paths.count)" }
    return paths.map(displayString).joined(separator: ", ")
  }

  /// A number of bytes for people, in units of 1,000.
  public static func bytes(_ count: UInt64) -> String {
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
