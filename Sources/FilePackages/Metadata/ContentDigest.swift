internal import Crypto
package import DurableIO

/// How much a package holds, in a form that is kept up to date by adding what came and subtracting what went.
package struct ContentSummary: Sendable, Hashable {
  /// Regular files and symbolic links.
  package var fileCount = 0
  package var byteCount: UInt64 = 0
  package var digest = ContentDigest()

  package init(fileCount: Int = 0, byteCount: UInt64 = 0, digest: ContentDigest = ContentDigest()) {
    self.fileCount = fileCount
    self.byteCount = byteCount
    self.digest = digest
  }

  package mutating func add(_ child: ChildSummary) {
    fileCount += child.kind == .directory ? 0 : 1
    byteCount &+= child.size
    digest.add(child.term)
  }

  package mutating func subtract(_ child: ChildSummary) {
    fileCount -= child.kind == .directory ? 0 : 1
    byteCount &-= child.size
    digest.subtract(child.term)
  }

  /// Applies what `change`, begun at nothing, collected.
  package mutating func add(_ change: ContentSummary) {
    fileCount += change.fileCount
    byteCount &+= change.byteCount
    digest.add(change.digest.lanes)
  }
}

/// What one child adds to the summary of its package.
package struct ChildSummary: Hashable, Sendable {
  package var path: PackagePath
  package var kind: FileKind
  package var isExecutable: Bool
  /// Bytes of a regular file, otherwise 0.
  package var size: UInt64
  /// SHA-256 of a file's bytes or of a link's destination; of nothing for a directory.
  package var content: ContentHash

  package init(path: PackagePath, kind: FileKind, mode: UInt16, size: UInt64, content: ContentHash) {
    self.path = path
    self.kind = kind
    self.isExecutable = kind == .file && mode & 0o100 != 0
    self.size = kind == .file ? size : 0
    self.content = content
  }

  /// For a child whose summary was noted down.
  package init(path: PackagePath, kind: FileKind, isExecutable: Bool, size: UInt64, content: ContentHash) {
    self.path = path
    self.kind = kind
    self.isExecutable = isExecutable
    self.size = size
    self.content = content
  }

  package var term: SIMD4<UInt64> {
    var hash = SHA256()
    let letter: UInt8 =
      switch kind {
      case .directory: UInt8(ascii: "d")
      case .symbolicLink: UInt8(ascii: "l")
      default: UInt8(ascii: "f")
      }
    hash.update(data: [letter, isExecutable ? UInt8(ascii: "x") : UInt8(ascii: "-")])
    content.withUnsafeBytes { hash.update(bufferPointer: $0) }
    hash.update(data: path.bytes)
    return hash.finalize().withUnsafeBytes { bytes in
      var lanes = SIMD4<UInt64>()
      for lane in 0..<4 {
        lanes[lane] = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: lane * 8, as: UInt64.self))
      }
      return lanes
    }
  }
}

/// The `ContentDigest` of a package: a sum over its children that does not depend on their order.
///
/// Each child adds SHA-256 of its kind, its executable bit, the SHA-256 of its content and its path, as four
/// little-endian 64-bit lanes, each summed modulo 2^64. So one changed child costs one term, and anyone can
/// compute the sum again from the files. It detects accidents; sums can be forged, so it proves nothing
/// against an attacker.
package struct ContentDigest: Sendable, Hashable {
  package private(set) var lanes = SIMD4<UInt64>()

  package init(lanes: SIMD4<UInt64>) { self.lanes = lanes }

  package init() {}

  package mutating func add(_ term: SIMD4<UInt64>) { lanes &+= term }
  package mutating func subtract(_ term: SIMD4<UInt64>) { lanes &-= term }

  /// 64 hexadecimal digits: the lanes in order, most significant digit first.
  package var hexadecimal: String {
    (0..<4).map { lane in
      let digits = String(lanes[lane], radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  package init?(hexadecimal: String) {
    let digits = Array(hexadecimal.utf8)
    guard digits.count == 64, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
      return nil
    }
    for lane in 0..<4 {
      let text = String(decoding: digits[(lane * 16)..<(lane * 16 + 16)], as: UTF8.self)
      guard let value = UInt64(text, radix: 16) else { return nil }
      lanes[lane] = value
    }
  }
}
