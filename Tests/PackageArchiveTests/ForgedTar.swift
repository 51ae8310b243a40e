typealias Tar = ForgedTar

/// A tar made byte by byte, which may contain false statements.
struct ForgedTar {
  struct Entry {
    var name: [UInt8]
    var content: [UInt8] = []
    var type: UInt8 = UInt8(ascii: "0")
    var link: [UInt8] = []
    var mode = 0o644
    /// The content's size in the header; nil for the true size.
    var size: Int?
    /// Whether the end of the header has star's dates.
    var starDates = false
    /// pax's records before the entry.
    var records: [(String, [UInt8])] = []
    /// GNU tar's headers before the entry: kind and content.
    var gnu: [(UInt8, [UInt8])] = []

    init(
      _ name: String, _ content: String = "", type: Character = "0", link: String = "", mode: Int = 0o644
    ) {
      self.name = Array(name.utf8)
      self.content = Array(content.utf8)
      self.type = type.asciiValue ?? 0
      self.link = Array(link.utf8)
      self.mode = mode
    }
  }

  var entries: [Entry]
  /// The bytes at the end.
  var end = [UInt8](repeating: 0, count: 1024)

  init(_ entries: Entry...) {
    self.entries = entries
  }

  var bytes: [UInt8] { entries.flatMap(Self.bytes) + end }

  private static func bytes(of entry: Entry) -> [UInt8] {
    var bytes: [UInt8] = []
    for (type, content) in entry.gnu {
      bytes +=
        header(Array("././@LongLink".utf8), size: content.count, type: type, link: [], mode: 0)
        + padded(content)
    }
    if !entry.records.isEmpty {
      let records = entry.records.flatMap(record)
      bytes += header(
        Array("PaxHeader".utf8), size: records.count, type: UInt8(ascii: "x"), link: [], mode: 0)
      bytes += padded(records)
    }
    return bytes
      + header(
        entry.name, size: entry.size ?? entry.content.count, type: entry.type, link: entry.link,
        mode: entry.mode, starDates: entry.starDates)
      + padded(entry.content)
  }

  private static func record(_ key: String, _ value: [UInt8]) -> [UInt8] {
    let rest = [UInt8(ascii: " ")] + Array(key.utf8) + [UInt8(ascii: "=")] + value + [10]
    var length = rest.count + 1
    while "\(length)".utf8.count + rest.count != length { length += 1 }
    return Array("\(length)".utf8) + rest
  }

  private static func padded(_ bytes: [UInt8]) -> [UInt8] {
    bytes + [UInt8](repeating: 0, count: (512 - bytes.count % 512) % 512)
  }

  private static func header(
    _ name: [UInt8], size: Int, type: UInt8, link: [UInt8], mode: Int, starDates: Bool = false
  ) -> [UInt8] {
    var header = [UInt8](repeating: 0, count: 512)
    header.put(Array(name.prefix(100)), at: 0)
    header.put(octal(mode, 7), at: 100)
    header.put(octal(0, 7), at: 108)
    header.put(octal(0, 7), at: 116)
    header.put(octal(size, 11), at: 124)
    header.put(octal(1_600_000_000, 11), at: 136)
    header.put([UInt8](repeating: 0x20, count: 8), at: 148)
    header[156] = type
    header.put(Array(link.prefix(100)), at: 157)
    header.put(Array("ustar".utf8) + [0] + Array("00".utf8), at: 257)
    if starDates {
      for place in [476, 488] { header.put(octal(1_600_000_000, 11) + [0x20], at: place) }
      header.put(Array("tar".utf8), at: 508)
    }
    let sum = header.reduce(0) { $0 + Int($1) }
    header.put(octal(sum, 6) + [0, 0x20], at: 148)
    return header
  }

  private static func octal(_ number: Int, _ digits: Int) -> [UInt8] {
    let text = String(number, radix: 8)
    return Array((String(repeating: "0", count: digits - text.count) + text).utf8)
  }
}

extension [UInt8] {
  fileprivate mutating func put(_ bytes: [UInt8], at place: Int) {
    replaceSubrange(place..<place + bytes.count, with: bytes)
  }
}
