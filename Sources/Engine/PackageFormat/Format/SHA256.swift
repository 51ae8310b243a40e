import CCrypto

/// SHA-256 of bytes that arrive in pieces, without a heap allocation.
package struct SHA256: Sendable {
  private var state = SHA256_CTX()

  package init() {
    SHA256_Init(&state)
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    SHA256_Update(&state, bytes.baseAddress, bytes.count)
  }

  package mutating func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  package mutating func update(_ hash: ContentHash) {
    hash.withUnsafeBytes { update($0) }
  }

  /// The hash of all bytes so far. A copy of this value can go on with more bytes.
  package consuming func finalize() -> ContentHash {
    var words = ContentHash.Words()
    withUnsafeMutableBytes(of: &words) { _ = SHA256_Final($0.baseAddress, &state) }
    return ContentHash(words: words)
  }
}
