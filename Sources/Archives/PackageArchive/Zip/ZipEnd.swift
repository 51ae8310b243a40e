/// The end record of a zip, with its 64-bit form if there is one.
struct ZipEnd {
  var count: UInt64
  var size: UInt64
  var offset: UInt64
  var comment: [UInt8]
  /// The offset of the record.
  let place: UInt64
  /// The offset of the locator, which leads to the 64-bit form; nil without that form.
  let locatorPlace: UInt64?

  init(of input: ArchiveInput) throws {
    guard let archiveSize = input.size else { throw Self.notWhole }
    let tailSize = min(archiveSize, UInt64(ZipFormat.endSize + Int(UInt16.max)))
    let tailStart = archiveSize - tailSize
    let tail = try input.bytes(at: tailStart, count: Int(tailSize))
    let places = Self.places(in: tail)
    guard let place = places.last else { throw Self.notWhole }
    var reader = LittleEndianReader(tail[(place + 4)...])
    guard let disk = reader.next(UInt16.self), let directoryDisk = reader.next(UInt16.self),
      let diskCount = reader.next(UInt16.self), let count = reader.next(UInt16.self),
      let size = reader.next(UInt32.self), let offset = reader.next(UInt32.self),
      let commentSize = reader.next(UInt16.self), reader.remaining == Int(commentSize)
    else { throw Self.notWhole }
    // Other programs may search from the front.
    let others = places.dropLast().filter { Self.reachesEnd(tail, from: $0) }
    guard others.isEmpty else { throw ArchiveError.Finding(.damaged, "it has two ends") }
    guard disk == 0, directoryDisk == 0, diskCount == count else {
      throw ArchiveError.Finding(.unsupported, "it is one part of several")
    }
    comment = Array(tail[(place + ZipFormat.endSize)...])
    (self.count, self.size, self.offset) = (UInt64(count), UInt64(size), UInt64(offset))
    self.place = tailStart + UInt64(place)
    var directoryEnd = self.place
    let end64 = try Self.end64(input, before: directoryEnd)
    locatorPlace = end64.map { _ in directoryEnd - UInt64(ZipFormat.locator64Size) }
    if let end64 {
      try take(end64)
      directoryEnd = end64.place
    } else if count == ZipFormat.elsewhere16 || size == ZipFormat.elsewhere32
      || offset == ZipFormat.elsewhere32
    {
      throw ArchiveError.Finding(.damaged, "its 64-bit end record is missing")
    }
    let (directoryStop, overflow) = self.offset.addingReportingOverflow(self.size)
    guard !overflow, directoryStop == directoryEnd else {
      throw ArchiveError.Finding(.damaged, "its end has a wrong place for its directory")
    }
  }

  private static var notWhole: ArchiveError.Finding {
    .init(.damaged, "it is cut short, or something follows its end")
  }

  /// Returns the positions of the end record's signature.
  private static func places(in tail: [UInt8]) -> [Int] {
    guard tail.count >= ZipFormat.endSize else { return [] }
    return (0...(tail.count - 4)).filter { place in
      tail[place] == 0x50 && tail[place + 1] == 0x4B && tail[place + 2] == 5 && tail[place + 3] == 6
    }
  }

  private static func reachesEnd(_ tail: [UInt8], from place: Int) -> Bool {
    guard place + ZipFormat.endSize <= tail.count else { return false }
    let comment = Int(tail[place + 20]) | Int(tail[place + 21]) << 8
    return place + ZipFormat.endSize + comment == tail.count
  }

  // MARK: 64 bits

  private struct End64 {
    var place: UInt64
    var count: UInt64
    var size: UInt64
    var offset: UInt64
  }

  private static func end64(_ input: ArchiveInput, before end: UInt64) throws -> End64? {
    guard end >= UInt64(ZipFormat.locator64Size) else { return nil }
    let locatorPlace = end - UInt64(ZipFormat.locator64Size)
    var locator = LittleEndianReader(try input.bytes(at: locatorPlace, count: ZipFormat.locator64Size)[...])
    guard locator.next() == ZipFormat.locator64 else { return nil }
    guard locator.next(UInt32.self) == 0, let place = locator.next(UInt64.self),
      // Some programs write 0 for the number of parts of an archive in one part.
      let parts = locator.next(UInt32.self), parts <= 1, place <= locatorPlace,
      locatorPlace - place == UInt64(ZipFormat.end64Size)
    else { throw ArchiveError.Finding(.damaged, "its 64-bit end record is damaged") }
    var record = LittleEndianReader(try input.bytes(at: place, count: ZipFormat.end64Size)[...])
    guard record.next() == ZipFormat.end64, record.next() == UInt64(ZipFormat.end64Size - 12),
      record.next(UInt16.self) != nil, record.next(UInt16.self) != nil, record.next(UInt32.self) == 0,
      record.next(UInt32.self) == 0, let diskCount = record.next(UInt64.self),
      let count = record.next(UInt64.self), diskCount == count, let size = record.next(UInt64.self),
      let offset = record.next(UInt64.self)
    else { throw ArchiveError.Finding(.damaged, "its 64-bit end record is damaged") }
    return End64(place: place, count: count, size: size, offset: offset)
  }

  /// Takes the 64-bit numbers. A number of the end record must agree unless it refers to the 64-bit form.
  private mutating func take(_ end64: End64) throws {
    guard count == UInt64(ZipFormat.elsewhere16) || count == end64.count,
      size == UInt64(ZipFormat.elsewhere32) || size == end64.size,
      offset == UInt64(ZipFormat.elsewhere32) || offset == end64.offset
    else { throw ArchiveError.Finding(.damaged, "its two end records differ") }
    (count, size, offset) = (end64.count, end64.size, end64.offset)
  }
}
