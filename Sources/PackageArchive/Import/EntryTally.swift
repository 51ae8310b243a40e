/// How many entries and bytes an archive's entries have, told apart by what becomes of them.
struct EntryTally {
  /// What becomes of an entry.
  enum Share {
    /// It is part of the package.
    case taken
    /// It is in the hidden folder of the folder that everything has been in so far: left out if that is the package.
    case perhapsHidden
    case leftOut
  }

  struct Sum {
    var entries = 0
    var bytes: UInt64 = 0
  }

  private let limits: ImportLimits
  private(set) var taken = Sum()
  private(set) var perhapsHidden = Sum()
  private(set) var leftOut = Sum()

  init(_ limits: ImportLimits) {
    self.limits = limits
  }

  /// All bytes that were read.
  var bytesRead: UInt64 { [taken, perhapsHidden, leftOut].reduce(0) { $0.addingSaturated($1.bytes) } }

  private static func place(of share: Share) -> WritableKeyPath<EntryTally, Sum> {
    switch share {
    case .taken: \.taken
    case .perhapsHidden: \.perhapsHidden
    case .leftOut: \.leftOut
    }
  }

  /// Counts an entry, and bytes of an entry.
  ///
  /// - Throws: a finding when a share is beyond a limit: each counts by itself, so that reading ends.
  mutating func add(
    entries: Int = 0, bytes: UInt64 = 0, as share: Share, of entry: ArchiveEntry, archiveBytes: UInt64
  ) throws {
    let place = Self.place(of: share)
    self[keyPath: place].entries += entries
    self[keyPath: place].bytes = self[keyPath: place].bytes.addingSaturated(bytes)
    guard self[keyPath: place].entries <= limits.entries else {
      throw ArchiveError.Finding(
        .limitExceeded, entry: entry.name, "it has more than \(limits.entries) entries", unless: .entries)
    }
    try limits.check(bytes: self[keyPath: place].bytes, entry: entry.name)
    try limits.check(ratioOf: bytesRead, to: archiveBytes, entry: entry.name)
  }

  /// Counts a file as left out that was counted as another share.
  mutating func leaveOut(bytes: UInt64, of share: Share) {
    let place = Self.place(of: share)
    self[keyPath: place].entries -= 1
    self[keyPath: place].bytes -= min(self[keyPath: place].bytes, bytes)
    leftOut.entries += 1
    leftOut.bytes = leftOut.bytes.addingSaturated(bytes)
  }

  /// Decides of what was perhaps hidden.
  mutating func settle(asTaken: Bool) {
    let place = Self.place(of: asTaken ? .taken : .leftOut)
    self[keyPath: place].entries += perhapsHidden.entries
    self[keyPath: place].bytes = self[keyPath: place].bytes.addingSaturated(perhapsHidden.bytes)
    perhapsHidden = Sum()
  }
}

extension UInt64 {
  fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
