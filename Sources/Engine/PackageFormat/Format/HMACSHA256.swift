/// HMAC with SHA-256 (RFC 2104) of bytes that arrive in pieces: a digest that only the owners of a key can make.
///
/// libcrypto's own HMAC needs its general digests (EVP), which cost each process a millisecond. Two digests of SHA-256
/// are the same.
package struct HMACSHA256: Sendable {
  /// The bytes that SHA-256 takes at a time. A longer key counts by its digest.
  private static let blockSize = 64
  private var inner = SHA256()
  private var outer = SHA256()

  /// - Parameter key: any number of bytes; 32 random ones are as strong as the digest.
  package init(key: [UInt8]) {
    var block = key.count > Self.blockSize ? ContentHash(of: key).bytes : key
    block += [UInt8](repeating: 0, count: Self.blockSize - block.count)
    inner.update(block.map { $0 ^ 0x36 })
    outer.update(block.map { $0 ^ 0x5c })
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) { inner.update(bytes) }

  package mutating func update(_ bytes: [UInt8]) { inner.update(bytes) }

  /// The code of all bytes so far. A copy of this value can go on with more bytes.
  package consuming func finalize() -> ContentHash {
    outer.update(inner.finalize())
    return outer.finalize()
  }
}
