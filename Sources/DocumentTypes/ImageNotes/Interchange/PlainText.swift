import FilePackages
import FoundationEssentials

/// Text files of other programs.
enum PlainText {
  /// The most bytes of a text: 16 MiB.
  static let maximumSize: UInt64 = 16 << 20

  /// Returns the bytes of a file with that text. A text that begins with a byte order mark gets another one, since a
  /// reader takes the first one away.
  static func encoded(_ text: String) -> Data {
    Data(text.utf8.starts(with: "\u{FEFF}".utf8) ? Array("\u{FEFF}".utf8) + text.utf8 : Array(text.utf8))
  }

  /// Returns the text of a file: UTF-8, or UTF-16 with a byte order mark. The mark itself is no part of the text.
  ///
  /// - Returns: nil if the bytes are neither.
  static func decoded(_ data: Data) -> String? {
    let bytes = [UInt8](data)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      return String(validating: bytes.dropFirst(3), as: UTF8.self)
    }
    let isLittle = bytes.starts(with: [0xFF, 0xFE])
    guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else {
      return String(validating: bytes, as: UTF8.self)
    }
    guard bytes.count.isMultiple(of: 2) else { return nil }
    let units = stride(from: 2, to: bytes.count, by: 2).map { place in
      let (one, other) = (UInt16(bytes[place]), UInt16(bytes[place + 1]))
      return isLittle ? one | other << 8 : one << 8 | other
    }
    return String(validating: units, as: UTF16.self)
  }
}

extension FileWrapper {
  /// Returns the bytes of a file of a bounded size.
  ///
  /// - Throws: `InterchangeProblem` for a larger one.
  func contents(atMost limit: UInt64, _ name: String) throws -> Data {
    if let size = regularFileSize, size > limit {
      throw InterchangeProblem(.damaged, file: name, "it is larger than \(limit >> 20) MiB")
    }
    return try contents()
  }

  /// Returns the text of a file.
  ///
  /// - Throws: `InterchangeProblem` if it is larger than 16 MiB, or neither UTF-8 nor UTF-16.
  func text(_ name: String) throws -> String {
    guard let text = PlainText.decoded(try contents(atMost: PlainText.maximumSize, name)) else {
      throw InterchangeProblem(.damaged, file: name, "it is not a text in UTF-8")
    }
    return text
  }
}
