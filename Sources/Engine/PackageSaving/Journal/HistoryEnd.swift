import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

/// The end of a history: all that a save needs to add a version, for any number of versions.
struct HistoryEnd {
  /// The state that the history begins with.
  let beginning: UUID
  /// The state that the last version leads to.
  private(set) var tip: UUID
  /// The offset of the next version.
  private(set) var offset: Int
  /// The checksum of the last version, or of the header.
  private(set) var checksum: ContentHash
  /// The identity of the file.
  private(set) var identity: FileIdentity?
  /// The length of the file.
  private var length: Int
  private var dueness = Dueness()

  init(tip: UUID, header: [UInt8]) {
    (beginning, self.tip) = (tip, tip)
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

  /// Records the file whose end this is.
  mutating func isFile(_ identity: FileIdentity, length: Int) {
    self.identity = identity
    self.length = max(length, offset)
    dueness = Dueness(offset: offset)
  }

  /// Returns whether no other program has written to the file since.
  func isCurrent(_ status: FileStatus) -> Bool {
    identity?.isSameNode(as: status.identity) == true && status.size == UInt64(length)
  }

  // MARK: Thinning

  /// Returns whether thinning is due, and counts that as done.
  ///
  /// A short history is due after every save. A longer one is due if it grew by a sixteenth, or if versions kept 16
  /// MiB. So the cost of thinning is in proportion to the bytes written since the last one.
  mutating func takeDueness() -> Bool {
    defer { dueness = Dueness(offset: offset) }
    return dueness.isDue(at: offset)
  }

  private struct Dueness {
    /// The length of the history at the last thinning.
    var offset = 0
    /// The bytes that versions have kept since.
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

  /// Loads the end of the history in a hidden folder; nil if there is no history.
  ///
  /// Cost: a read of the header, and one of the last version and of those that the journal has.
  ///
  /// - Parameter vouched: the states that the journal's versions lead to (H2).
  /// - Throws: EILSEQ for a file that is no history.
  static func load(
    in folder: borrowing OwnedDescriptor, on disk: any Disk, besides vouched: Set<UUID>
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
      if let found = last(in: bytes, from: start, HistoryEnd(tip: tip, header: header), besides: vouched) {
        return found.of(status, size)
      }
      // A version may be larger; if the file does not end with one, all of it is read.
      if start == HistoryFile.headerLength {
        return try HistoryFile.load(in: folder, on: disk, besides: vouched)?.end
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

  /// Returns the end after the version that is last in the bytes, if all versions from the last durable one are intact.
  ///
  /// A version is intact if its checksum over itself and the 32 bytes before it is right. These bytes are the checksum
  /// of the version before. So adding a version needs no earlier bytes.
  private static func last(
    in bytes: [UInt8], from start: Int, _ empty: HistoryEnd, besides vouched: Set<UUID>
  ) -> HistoryEnd? {
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
        !vouched.contains(version.next) || start + position == HistoryFile.headerLength
      else { continue }
      var end = empty
      end.skip(to: start + position, after: previous)
      end.append(version, length: length, checksum)
      while let (version, length, checksum) = HistoryFile.version(
        bytes[(end.offset - start)...], after: end.checksum)
      {
        end.append(version, length: length, checksum)
      }
      return end.offset - start == bytes.count ? end : nil
    }
    return nil
  }
}
