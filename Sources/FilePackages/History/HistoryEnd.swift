import DurableIO
import FoundationEssentials

// (1) A version at the end of the file is whole where its checksum is right over itself and the 32 bytes before it, which are
//     the checksum of the version before. Nothing before these bytes is needed to add another one.
// (2) Only where no journal is beside the file: otherwise a version before the last one may not be on the medium.

/// Where a history ends: all that a save needs to add a version, whatever the number of versions.
struct HistoryEnd {
  /// The state that the last version leads to.
  private(set) var tip: UUID
  /// Where the next version goes.
  private(set) var offset: Int
  /// Of the last version, or of the header.
  private(set) var checksum: ContentHash
  /// Which file it is.
  private(set) var identity: FileIdentity?
  /// How long the file is.
  private var length: Int
  private var dueness = Dueness()

  init(tip: UUID, header: [UInt8]) {
    self.tip = tip
    offset = header.count
    length = header.count
    checksum = ContentHash(of: header)
  }

  mutating func append(_ version: VersionRecord, length: Int, _ checksum: ContentHash) {
    tip = version.next
    offset += length
    self.length = max(self.length, offset)
    self.checksum = checksum
    dueness.kept &+= version.keptBytes
  }

  mutating func skip(to offset: Int, after checksum: ContentHash) {
    (self.offset, self.checksum) = (offset, checksum)
  }

  /// Takes note of the file that it is the end of.
  mutating func isFile(_ identity: FileIdentity, length: Int) {
    self.identity = identity
    self.length = max(length, offset)
    dueness = Dueness(offset: offset)
  }

  /// Whether nobody else has written to the file since.
  func isCurrent(_ status: FileStatus) -> Bool {
    identity?.isSameNode(as: status.identity) == true && status.size == UInt64(length)
  }

  // MARK: Thinning

  /// Whether it is time to look at all versions for those that are not to be kept, and from then on not any more for a while.
  ///
  /// A short history is looked at after every save. A longer one is when it has grown by a sixteenth, or when versions have
  /// kept 16 MiB: what that costs is in proportion to what was written since the last look.
  mutating func takeDueness() -> Bool {
    defer { dueness = Dueness(offset: offset) }
    return dueness.isDue(at: offset)
  }

  private struct Dueness {
    /// How long the history was at the last look.
    var offset = 0
    /// Bytes that versions have kept since.
    var kept: UInt64 = 0

    private static let short = 8 << 10

    func isDue(at end: Int) -> Bool {
      if end <= Self.short || kept >= 16 << 20 { return true }
      let step = max(Self.short / 2, (1 << (Int.bitWidth - 1 - end.leadingZeroBitCount)) >> 4)
      return end / step != offset / step
    }
  }
}

extension HistoryEnd {
  private static let firstWindow = 4 << 10

  /// The end of the history in a hidden folder that has no journal; nil where none is kept. (2)
  ///
  /// Cost: a read of the header, and one of the last version.
  ///
  /// - Throws: EILSEQ for a file that is none.
  static func load(
    in folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> HistoryEnd? {
    let name = PackageLayout.history
    guard let status = try disk.statusIfPresent(of: name, in: folder) else { return nil }
    guard status.kind == .file, status.size <= UInt64(HistoryFile.maximumSize) else {
      throw HistoryFile.isNone
    }
    let file = try disk.openFile(name, in: folder)
    let size = Int(status.size)
    let header = try disk.read(file, at: 0, atMost: HistoryFile.headerLength)
    guard let (tip, _) = HistoryFile.beginning(of: header) else { throw HistoryFile.isNone }
    var window = firstWindow
    while size > HistoryFile.headerLength {
      let start = max(HistoryFile.headerLength, size - window)
      let bytes = try disk.read(file, at: UInt64(start), atMost: size - start)
      if let found = last(in: bytes, from: start, HistoryEnd(tip: tip, header: header)) {
        return found.of(status, size)
      }
      // A version may be larger; and where the file does not end with one, all of it is read.
      if start == HistoryFile.headerLength {
        return try HistoryFile.load(in: folder, on: disk, skipsDamage: true)?.end
      }
      window *= 8
    }
    return HistoryEnd(tip: tip, header: header).of(status, size)
  }

  private func of(_ status: FileStatus, _ size: Int) -> HistoryEnd {
    var end = self
    end.isFile(status.identity, length: size)
    return end
  }

  /// The end after the version that the bytes end with. (1)
  private static func last(in bytes: [UInt8], from start: Int, _ empty: HistoryEnd) -> HistoryEnd? {
    let magic = withUnsafeBytes(of: HistoryFile.recordMagic.littleEndian, Array.init)
    var position = bytes.count - magic.count
    while position >= 0 {
      defer { position -= 1 }
      guard bytes[position] == magic[0], bytes[position..<(position + magic.count)].elementsEqual(magic)
      else {
        continue
      }
      let previous: ContentHash
      if start + position == HistoryFile.headerLength {
        previous = empty.checksum
      } else if position >= ContentHash.count,
        let before = ContentHash(bytes: bytes[(position - ContentHash.count)..<position])
      {
        previous = before
      } else {
        continue
      }
      guard let (version, length, checksum) = HistoryFile.version(bytes[position...], after: previous),
        position + length == bytes.count
      else { continue }
      var end = empty
      end.skip(to: start + position, after: previous)
      end.append(version, length: length, checksum)
      return end
    }
    return nil
  }
}
