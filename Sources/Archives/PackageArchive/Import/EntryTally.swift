/// The numbers of entries and bytes of an archive, by what becomes of them.
struct EntryTally {
  struct Sum {
    var entries = 0
    var bytes: UInt64 = 0
    /// The bytes of extended attributes, which count to the limits and not to the report.
    var attributeBytes: UInt64 = 0
  }

  private let limits: ImportLimits
  /// The entries of the package.
  var taken = Sum()
  var leftOut = Sum()

  /// The fate of an entry: `taken` or `leftOut`.
  typealias Share = WritableKeyPath<EntryTally, Sum>

  init(_ limits: ImportLimits) {
    self.limits = limits
  }

  /// All bytes that the import has read.
  var bytesRead: UInt64 { taken.bytes.addingSaturated(leftOut.bytes) }

  /// Counts an entry, or bytes of it.
  ///
  /// - Throws: a finding if a share exceeds a limit. Each share counts by itself, so that reading ends.
  mutating func add(
    entries: Int = 0, bytes: UInt64 = 0, attributeBytes: UInt64 = 0, as share: Share, of entry: ArchiveEntry,
    archiveBytes: UInt64
  ) throws {
    self[keyPath: share].entries += entries
    self[keyPath: share].bytes = self[keyPath: share].bytes.addingSaturated(bytes)
    self[keyPath: share].attributeBytes += attributeBytes
    guard self[keyPath: share].entries <= limits.entries else {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry.name, "it has more than \(limits.entries) entries", unless: .entries)
    }
    let attributes = self[keyPath: share].attributeBytes
    try limits.check(bytes: self[keyPath: share].bytes.addingSaturated(attributes), entry: entry.name)
    try limits.check(ratioOf: bytesRead.addingSaturated(attributes), to: archiveBytes, entry: entry.name)
  }

  /// Moves a taken file to the share that is left out.
  mutating func leaveOut(bytes: UInt64) {
    taken.entries -= 1
    taken.bytes -= min(taken.bytes, bytes)
    leftOut.entries += 1
    leftOut.bytes = leftOut.bytes.addingSaturated(bytes)
  }
}

extension UInt64 {
  fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
