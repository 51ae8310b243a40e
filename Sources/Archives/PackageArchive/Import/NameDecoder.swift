import Glibc

/// A converter of names from a code page to UTF-8.
final class NameDecoder {
  private let charset: String
  private let converter: iconv_t

  /// - Throws: a finding if the system does not have that code page.
  init(_ charset: String) throws {
    self.charset = charset
    guard !charset.isEmpty, let converter = iconv_open("UTF-8", charset), Int(bitPattern: converter) != -1
    else {
      throw ArchiveError.Finding(.unsupported, "there is no code page '\(charset)'; 'iconv -l' lists them")
    }
    self.converter = converter
  }

  deinit {
    iconv_close(converter)
  }

  /// Decodes an entry's name and a link's destination if the archive does not mark them as UTF-8.
  ///
  /// - Throws: a finding if they are not in that code page.
  func decode(_ entry: inout ArchiveEntry) throws {
    guard !entry.isNameUTF8 else { return }
    let raw = entry.name
    entry.name = try decoded(raw, of: raw)
    switch entry.kind {
    case .link(let target): entry.kind = .link(try decoded(target, of: raw))
    case .hardLink(let target): entry.kind = .hardLink(try decoded(target, of: raw))
    default: break
    }
  }

  private func decoded(_ bytes: [UInt8], of name: [UInt8]) throws -> [UInt8] {
    // The programs that write such names mean a backslash even in code pages with another character there.
    if bytes.allSatisfy({ $0 < 0x80 }) { return bytes }
    var input = bytes.map { CChar(bitPattern: $0) }
    // A character takes at most four bytes.
    var output = [CChar](repeating: 0, count: bytes.count * 4 + 16)
    iconv(converter, nil, nil, nil, nil)
    let left = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        var (from, fromCount) = (input.baseAddress, input.count)
        var (to, toCount) = (output.baseAddress, output.count)
        let result = iconv(converter, &from, &fromCount, &to, &toCount)
        return result == .max || fromCount > 0 ? nil : toCount
      }
    }
    let slash = UInt8(ascii: "/")
    if let left {
      let text = output.dropLast(left).map { UInt8(bitPattern: $0) }
      // No code page for file names turns another character into a separator.
      if !text.contains(0), text.filter({ $0 == slash }).count == bytes.filter({ $0 == slash }).count {
        return text
      }
    }
    throw ArchiveError.Finding(.unsafeName, entry: name, "its name is not in \(charset)", unless: .charset)
  }
}
