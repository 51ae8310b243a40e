/// The numbers of entries and bytes of an archive, by what becomes of them.
struct EntryTally {
  /// The fate of an entry.
  enum Share {
    /// The entry is part of the package.
    case taken
    case leftOut
  }

  struct Sum {
    var entries = 0
    var bytes: UInt64 = 0
    /// The bytes of extended attributes, which count to the limits and not to the report.
    var attributeBytes: UInt64 = 0
  }

  private let limits: ImportLimits
  private(set) var taken = Sum()
  private(set) var leftOut = Sum()

  init(_ limits: ImportLimits) {
    self.limits = limits
  }

  /// All bytes that the import has read.
  var bytesRead: UInt64 { taken.bytes.addingSaturated(leftOut.bytes) }

  private static func place(of share: Share) -> WritableKeyPath<EntryTally, Sum> {
    switch share {
    case .taken: \.taken
    case .leftOut: \.leftOut
    }
  }

  /// Counts an entry, or bytes of it.
  ///
  /// - Throws: a finding if a share exceeds a limit. Each share counts by itself, so that reading ends.
  mutating func add(
    entries: Int = 0, bytes: UInt64 = 0, attributeBytes: UInt64 = 0, as share: Share, of entry: ArchiveEntry,
    archiveBytes: UInt64
  ) throws {
    let place = Self.place(of: share)
    self[keyPath: place].entries += entries
    self[keyPath: place].bytes = self[keyPath: place].bytes.addingSaturated(bytes)
    self[keyPath: place].attributeBytes += attributeBytes
    guard self[keyPath: place].entries <= limits.entries else {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry.name, "it has more than \(limits.entries) entries", unless: .entries)
    }
    let attributes = self[keyPath: place].attributeBytes
    try limits.check(bytes: self[keyPath: place].bytes.addingSaturated(attributes), entry: entry.name)
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
