import Glibc

/// A scan of a cpio stream in the forms newc, crc, odc and binary (cpio(5)).
///
/// It checks names byte by byte, compares checksums, and refuses bytes between entries or behind the last one.
struct CpioScan: StreamScan {
  private var state = State.magic
  private var collector = ByteCollector(6)
  private var form = Form.newc
  /// The size of the entry's content in bytes, and its checksum if the form has one.
  private var size: UInt64 = 0
  private var checksum: UInt32?
  private var sum: UInt32 = 0
  private var left: UInt64 = 0
  private var name: [UInt8] = []
  private var hasEnded = false
  private var padding: UInt64 = 0

  private enum State {
    case magic
    case header
    case name
    case content
    case end
  }

  private enum Form {
    case newc, crc, odc
    case binary(isLittle: Bool)

    var headerSize: Int {
      switch self {
      case .newc, .crc: 110
      case .odc: 76
      case .binary: 26
      }
    }

    /// Names with their headers, and contents, are padded to a multiple of this.
    var alignment: UInt64 {
      switch self {
      case .newc, .crc: 4
      case .odc: 1
      case .binary: 2
      }
    }
  }

  private static let maximumName: UInt64 = 1 << 20

  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch state {
      case .end:
        padding += UInt64(rest.count)
        guard rest.allSatisfy({ $0 == 0 }) else { throw damage("something follows the archive's end") }
        guard padding <= ImportLimits.maximumPadding else {
          throw ArchiveError.Finding(
            .limitExceeded, "more than \(ImportLimits.maximumPadding) zeros follow its end")
        }
        return
      case .content:
        let part = rest.prefix(Int(min(left, UInt64(rest.count))))
        rest = rest.dropFirst(part.count)
        left -= UInt64(part.count)
        if checksum != nil { for byte in part { sum &+= UInt32(byte) } }
        if left == 0 { try endContent() }
      default:
        collector.take(&rest)
        if collector.isComplete { try takeCollected(collector.bytes) }
      }
    }
  }

  func finish() throws {
    guard hasEnded else { throw damage("it is cut short") }
  }

  private func damage(_ reason: String) -> ArchiveError.Finding {
    .init(.damaged, entry: name.isEmpty ? nil : name, reason)
  }

  private mutating func takeCollected(_ bytes: [UInt8]) throws {
    switch state {
    case .magic:
      guard let form = Self.form(bytes) else { throw damage("a header is missing") }
      self.form = form
      state = .header
      collector.extend(to: form.headerSize)
    case .header:
      guard let (nameSize, size, checksum) = fields(bytes), (1...Self.maximumName).contains(nameSize) else {
        throw damage("a header is damaged")
      }
      (self.size, self.checksum) = (size, checksum)
      state = .name
      collector.start(Int(nameSize + padding(after: nameSize + UInt64(form.headerSize))))
      name = [UInt8](repeating: 0, count: Int(nameSize))
    default: try takeName(bytes)
    }
  }

  private mutating func takeName(_ bytes: [UInt8]) throws {
    let text = Array(bytes.prefix(name.count))
    name = Array(text.prefix { $0 != 0 })
    guard text.count == name.count + 1 else {
      throw ArchiveError.Finding(.unsafeName, entry: name, "its name has a NUL character in it")
    }
    if name == Array("TRAILER!!!".utf8) {
      guard size == 0 else { throw damage("something follows the archive's end") }
      hasEnded = true
      state = .end
      return
    }
    (left, sum) = (size, 0)
    state = .content
    if left == 0 { try endContent() }
  }

  private mutating func endContent() throws {
    guard checksum == nil || checksum == sum else {
      throw damage("its checksum is wrong")
    }
    state = .magic
    collector.start(6, skipping: padding(after: size))
  }

  private func padding(after count: UInt64) -> UInt64 {
    (form.alignment - count % form.alignment) % form.alignment
  }

  private static func form(_ bytes: [UInt8]) -> Form? {
    switch bytes {
    case Array("070701".utf8): .newc
    case Array("070702".utf8): .crc
    case Array("070707".utf8): .odc
    default:
      bytes.starts(with: [0xC7, 0x71])
        ? .binary(isLittle: true) : bytes.starts(with: [0x71, 0xC7]) ? .binary(isLittle: false) : nil
    }
  }

  /// Returns the length of the name with its NUL, the size of the content, and the content's checksum.
  private func fields(_ bytes: [UInt8]) -> (nameSize: UInt64, size: UInt64, checksum: UInt32?)? {
    func number(_ range: Range<Int>, _ radix: Int) -> UInt64? {
      let digits = bytes[range]
      guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
      return UInt64(String(decoding: digits, as: UTF8.self), radix: radix)
    }
    switch form {
    case .newc, .crc:
      guard let size = number(54..<62, 16), let nameSize = number(94..<102, 16),
        let mode = number(14..<22, 16), let checksum = number(102..<110, 16)
      else { return nil }
      // Only a regular file has a checksum; a link has none.
      guard case .crc = form, mode & UInt64(S_IFMT) == UInt64(S_IFREG) else { return (nameSize, size, nil) }
      return (nameSize, size, UInt32(checksum))
    case .odc:
      guard let nameSize = number(59..<65, 8), let size = number(65..<76, 8) else { return nil }
      return (nameSize, size, nil)
    case .binary(let isLittle):
      func half(_ place: Int) -> UInt64 {
        let (first, second) = (UInt64(bytes[place]), UInt64(bytes[place + 1]))
        return isLittle ? second << 8 | first : first << 8 | second
      }
      return (half(20), half(22) << 16 | half(24), nil)
    }
  }
}
