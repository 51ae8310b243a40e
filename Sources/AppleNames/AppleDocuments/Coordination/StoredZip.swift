import DurableIO
import FilePackages
import Foundation

/// Writes a folder as a ZIP file without compression.
///
/// It is beside the writer of `PackageArchive`, which compresses: that one needs libdeflate and zlib for each program
/// that imports a model, and an upload needs neither.
struct StoredZip {
  private struct Entry {
    var name: [UInt8]
    var mode: UInt32
    var time: (date: UInt16, time: UInt16)
    var checksum: UInt32 = 0
    var size: UInt32 = 0
    var offset: UInt32
  }

  private let output: FileHandle
  private var position: UInt64 = 0
  private var entries: [Entry] = []

  /// Writes the folder at `source` to a new file at `target`, as one folder with its name.
  ///
  /// The hidden folder with the versions of a document is not part of it.
  ///
  /// - Throws: the error of the file system; `CocoaError.fileWriteUnknown` if the folder has 4 GiB or 65,535 files.
  static func write(_ source: URL, to target: URL) throws {
    try Data().write(to: target, options: .withoutOverwriting)
    let output = try FileHandle(forUpdating: target)
    var zip = StoredZip(output: output)
    do {
      try zip.add(source, as: source.lastPathComponent, isTop: true)
      try zip.finish()
    } catch {
      try? output.close()  // The first error counts.
      throw error
    }
    try output.close()
  }

  private init(output: FileHandle) { self.output = output }

  // MARK: Entries

  private mutating func add(_ url: URL, as name: String, isTop: Bool = false) throws {
    let manager = FileManager.default
    let attributes = try manager.attributesOfItem(atPath: url.path)
    let permissions = (attributes[.posixPermissions] as? NSNumber)?.uint32Value ?? 0o644
    let date = attributes[.modificationDate] as? Date ?? Date(timeIntervalSince1970: 0)
    switch attributes[.type] as? FileAttributeType {
    case .typeDirectory?:
      try begin(name + "/", 0o040000 | permissions, date)
      for child in try manager.contentsOfDirectory(atPath: url.path).sorted()
      where !isTop || child != PackageLayout.hidden.string {
        try add(url.appending(path: child, directoryHint: .notDirectory), as: "\(name)/\(child)")
      }
    case .typeSymbolicLink?:
      try begin(name, 0o120000 | permissions, date)
      let destination = try manager.destinationOfSymbolicLink(atPath: url.path)
      var checksum = Checksum()
      try append(Data(destination.utf8), to: &checksum)
      try end(checksum)
    case .typeRegular?:
      try begin(name, 0o100000 | permissions, date)
      let input = try FileHandle(forReadingFrom: url)
      var checksum = Checksum()
      while let piece = try input.read(upToCount: 1 << 20), !piece.isEmpty {
        try append(piece, to: &checksum)
      }
      try input.close()
      try end(checksum)
    // A FIFO, a socket or a device has no bytes to upload.
    default: return
    }
  }

  private mutating func begin(_ name: String, _ mode: UInt32, _ date: Date) throws {
    let entry = Entry(name: Array(name.utf8), mode: mode, time: Self.time(date), offset: try small(position))
    guard entry.name.count <= UInt16.max, entries.count < UInt16.max - 1 else { throw tooLarge }
    entries.append(entry)
    try write(header(entry))
  }

  private mutating func append(_ bytes: Data, to checksum: inout Checksum) throws {
    checksum.add(bytes)
    try write(bytes)
  }

  /// Writes the checksum and the size of the last entry, which follow from its bytes, into its header.
  private mutating func end(_ checksum: Checksum) throws {
    guard var entry = entries.popLast() else { return }
    entry.checksum = checksum.value
    entry.size = try small(position - UInt64(entry.offset) - UInt64(30 + entry.name.count))
    try output.seek(toOffset: UInt64(entry.offset))
    try output.write(contentsOf: header(entry))
    try output.seek(toOffset: position)
    entries.append(entry)
  }

  private mutating func finish() throws {
    let start = position
    for entry in entries { try write(directoryRecord(entry)) }
    let (offset, size) = (try small(start), try small(position - start))
    var end = Data()
    end.append(number: 0x0605_4b50 as UInt32)
    end.append(number: 0 as UInt32)
    for _ in 0..<2 { end.append(number: UInt16(entries.count)) }
    end.append(number: size)
    end.append(number: offset)
    end.append(number: 0 as UInt16)
    try write(end)
  }

  // MARK: Records

  private func header(_ entry: Entry) -> Data {
    var data = Data()
    data.append(number: 0x0403_4b50 as UInt32)
    data.append(number: 20 as UInt16)
    append(common: entry, to: &data)
    data.append(contentsOf: entry.name)
    return data
  }

  private func directoryRecord(_ entry: Entry) -> Data {
    var data = Data()
    data.append(number: 0x0201_4b50 as UInt32)
    // The mode is that of a Unix system.
    data.append(number: 3 << 8 | 20 as UInt16)
    data.append(number: 20 as UInt16)
    append(common: entry, to: &data)
    for _ in 0..<3 { data.append(number: 0 as UInt16) }
    data.append(number: entry.mode << 16)
    data.append(number: entry.offset)
    data.append(contentsOf: entry.name)
    return data
  }

  /// Appends the fields that both records have.
  private func append(common entry: Entry, to data: inout Data) {
    // The name is UTF-8, and the bytes are stored.
    data.append(number: 1 << 11 as UInt16)
    data.append(number: 0 as UInt16)
    data.append(number: entry.time.time)
    data.append(number: entry.time.date)
    data.append(number: entry.checksum)
    data.append(number: entry.size)
    data.append(number: entry.size)
    data.append(number: UInt16(entry.name.count))
    data.append(number: 0 as UInt16)
  }

  private mutating func write(_ data: Data) throws {
    try output.write(contentsOf: data)
    position += UInt64(data.count)
  }

  private var tooLarge: CocoaError {
    CocoaError(
      .fileWriteUnknown,
      userInfo: [NSDebugDescriptionErrorKey: "the folder is too large for a ZIP file without extensions"])
  }

  private func small(_ number: UInt64) throws -> UInt32 {
    guard let small = UInt32(exactly: number), small < .max else { throw tooLarge }
    return small
  }

  /// Returns a date as MS-DOS has it, in UTC, and not before 1980.
  private static func time(_ date: Date) -> (date: UInt16, time: UInt16) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    let year = (parts.year ?? 1980) - 1980
    guard (0..<128).contains(year) else { return (1 << 5 | 1, 0) }
    return (
      UInt16(year << 9 | (parts.month ?? 1) << 5 | (parts.day ?? 1)),
      UInt16((parts.hour ?? 0) << 11 | (parts.minute ?? 0) << 5 | (parts.second ?? 0) / 2)
    )
  }
}

/// The CRC-32 of a ZIP file.
private struct Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
  }

  private var state = UInt32.max

  var value: UInt32 { ~state }

  mutating func add(_ bytes: Data) {
    for byte in bytes { state = state >> 8 ^ Self.table[Int((state ^ UInt32(byte)) & 0xFF)] }
  }
}

extension Data {
  /// Appends the bytes of a number, the lowest first.
  fileprivate mutating func append(number: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: number.littleEndian) { append(contentsOf: $0) }
  }
}
