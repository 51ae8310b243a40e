package import DurableIO

/// The size and digest of a package, which a save updates by adding new children and subtracting removed ones.
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

  /// Adds a `change` that was collected from an empty summary.
  package mutating func add(_ change: ContentSummary) {
    fileCount += change.fileCount
    byteCount &+= change.byteCount
    digest.add(change.digest.lanes)
  }
}

/// The term of one child in the summary of its package.
package struct ChildSummary: Hashable, Sendable {
  package var path: PackagePath
  package var kind: FileKind
  package var isExecutable: Bool
  /// Bytes of a regular file, otherwise 0.
  package var size: UInt64
  /// SHA-256 of a file's bytes or of a link's destination; of no bytes for a directory.
  package var content: ContentHash

  package init(path: PackagePath, kind: FileKind, mode: UInt16, size: UInt64, content: ContentHash) {
    self.path = path
    self.kind = kind
    self.isExecutable = kind == .file && mode & 0o100 != 0
    self.size = kind == .file ? size : 0
    self.content = content
  }

  /// Makes the summary of a child from recorded values.
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
    hash.update([letter, isExecutable ? UInt8(ascii: "x") : UInt8(ascii: "-")])
    hash.update(content)
    hash.update(path.bytes)
    return ContentDigest(of: hash.finalize()).lanes
  }
}

/// The `ContentDigest` of a package: a sum over its children that does not depend on their order.
///
/// Each child adds SHA-256 of its kind, its executable bit, the SHA-256 of its content and its path. A hash counts as
/// four little-endian 64-bit lanes, each summed modulo 2^64. So one changed child costs one term, and any program can
/// compute the sum again from the files. It detects accidents; an attacker can forge a sum, so it proves nothing
/// against one.
package struct ContentDigest: Sendable, Hashable {
  package private(set) var lanes = SIMD4<UInt64>()

  package init(lanes: SIMD4<UInt64>) { self.lanes = lanes }

  package init() {}

  /// Makes the digest of one term.
  package init(of hash: ContentHash) {
    hash.withUnsafeBytes { bytes in
      for lane in 0..<4 {
        lanes[lane] = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: lane * 8, as: UInt64.self))
      }
    }
  }

  package mutating func add(_ term: SIMD4<UInt64>) { lanes &+= term }
  package mutating func subtract(_ term: SIMD4<UInt64>) { lanes &-= term }

  /// 64 hexadecimal digits: the lanes in order, most significant digit first.
  package var hexadecimal: String {
    let digits = SIMD4(lanes[0].bigEndian, lanes[1].bigEndian, lanes[2].bigEndian, lanes[3].bigEndian)
    return withUnsafeBytes(of: digits) { $0.hexadecimal }
  }

  /// Reads 64 hexadecimal digits in either case.
  package init?(hexadecimal: String) {
    guard let bytes = hexadecimal.lowercased().utf8.hexadecimalDecoded, bytes.count == 32 else { return nil }
    for lane in 0..<4 { lanes[lane] = bytes[(8 * lane)..<(8 * lane + 8)].reduce(0) { $0 << 8 | UInt64($1) } }
  }
}
