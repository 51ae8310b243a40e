import CCipher
import FilePackages
import FoundationEssentials

// Sealed bytes open only with the key that sealed them. A change of any bit makes them unreadable.

/// Bytes encrypted by AES-256-GCM: a mark of the format, a random nonce, the encrypted bytes, and a tag.
enum SealedBytes {
  private static let mark: [UInt8] = Array("DPE1".utf8)
  private static let nonceSize = Int(CCIPHER_NONCE_SIZE)
  private static let tagSize = Int(CCIPHER_TAG_SIZE)
  /// The number of bytes beside the encrypted ones.
  static let overhead = mark.count + nonceSize + tagSize

  /// Encrypts bytes.
  ///
  /// - Throws: `CipherError` if libcrypto is not there.
  static func seal(_ bytes: Data, with key: [UInt8]) throws(CipherError) -> Data {
    let nonce = randomBytes(nonceSize)
    var sealed = Data(mark + nonce)
    let start = sealed.count
    sealed.append(Data(count: bytes.count + tagSize))
    let isDone = sealed.withUnsafeMutableBytes { sealed in
      bytes.withUnsafeBytes { bytes in
        ccipher_seal(key, nonce, bytes.baseAddress, bytes.count, sealed.baseAddress.map { $0 + start }) == 1
      }
    }
    guard isDone else { throw CipherError() }
    return sealed
  }

  /// Decrypts bytes of any origin; nil unless `seal` made them with this key.
  ///
  /// - Throws: `CipherError` if libcrypto is not there.
  static func open(_ sealed: Data, with key: [UInt8]) throws(CipherError) -> Data? {
    if let missing = ccipher_missing() { throw CipherError(reason: String(cString: missing)) }
    guard sealed.count >= overhead, sealed.starts(with: mark) else { return nil }
    var bytes = Data(count: sealed.count - overhead)
    let isDone = sealed.withUnsafeBytes { sealed in
      bytes.withUnsafeMutableBytes { bytes in
        let nonce = sealed.baseAddress.map { $0 + mark.count }
        let start = mark.count + nonceSize
        return ccipher_open(
          key, nonce, sealed.baseAddress.map { $0 + start }, sealed.count - start, bytes.baseAddress) == 1
      }
    }
    return isDone ? bytes : nil
  }
}

/// The failure of libcrypto, which is missing or has no memory.
struct CipherError: Error, CustomStringConvertible {
  var reason: String?
  var description: String {
    reason ?? ccipher_missing().map { String(cString: $0) } ?? "libcrypto has no memory"
  }
}
