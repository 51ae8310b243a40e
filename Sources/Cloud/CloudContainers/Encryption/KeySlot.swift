import CCipher
import FilePackages
package import FoundationEssentials

/// The key of a container, encrypted by a passphrase: scrypt makes the key that seals it.
package struct KeySlot: Sendable, Hashable, Codable {
  /// The work of a guess: scrypt takes `128 << logN` × 8 bytes of memory, for `p` lanes one after the other.
  package struct Cost: Sendable, Hashable, Codable {
    package var logN: Int
    package var p: Int

    /// 128 MiB, and some 0.4 seconds on a machine of 2024.
    package static let standard = Cost(logN: 17, p: 1)
    /// 16 MiB, the least that a reader accepts.
    package static let least = Cost(logN: 14, p: 1)

    package init(logN: Int, p: Int) { (self.logN, self.p) = (logN, p) }

    /// Whether a reader takes it: a store can make no machine use more than a gibibyte.
    var isAllowed: Bool { (Self.least.logN...20).contains(logN) && (1...4).contains(p) }
  }

  private static let r: UInt64 = 8
  private static let saltSize = 16

  package var cost: Cost
  package var salt: Data
  /// The sealed key.
  package var sealed: Data

  /// Encrypts a key.
  ///
  /// - Throws: `CipherError` if libcrypto is not there.
  package init(_ key: ContainerKey, passphrase: String, cost: Cost = .standard) throws {
    (self.cost, salt) = (cost, Data(randomBytes(Self.saltSize)))
    sealed = Data()
    sealed = try SealedBytes.seal(Data(key.bytes), with: sealingKey(passphrase))
  }

  /// Decrypts the key; nil if the passphrase is another one, or the slot is damaged.
  ///
  /// - Throws: `CipherError` if libcrypto is not there.
  package func key(passphrase: String) throws -> ContainerKey? {
    guard cost.isAllowed, salt.count == Self.saltSize,
      sealed.count == ContainerKey.size + SealedBytes.overhead
    else { return nil }
    return try SealedBytes.open(sealed, with: sealingKey(passphrase)).flatMap {
      ContainerKey(bytes: [UInt8]($0))
    }
  }

  private func sealingKey(_ passphrase: String) throws(CipherError) -> [UInt8] {
    let text = Array(passphrase.utf8)
    var key = [UInt8](repeating: 0, count: ContainerKey.size)
    let isDone = text.withUnsafeBytes { text in
      [UInt8](salt).withUnsafeBufferPointer { salt in
        ccipher_scrypt(
          text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, salt.baseAddress, salt.count,
          1 << UInt64(cost.logN), Self.r, UInt64(cost.p), &key) == 1
      }
    }
    guard isDone else { throw CipherError() }
    return key
  }
}
