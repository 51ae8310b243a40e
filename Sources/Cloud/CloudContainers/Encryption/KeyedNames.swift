import CCipher
import FilePackages
import ObjectStores

/// The names of objects in an encrypted store: the digest at the end of a name is another one there.
///
/// The names of blobs end with the digest of their bytes. A store that guesses a content
/// could compare the digest. The permutation of the container's key hides it, and tells equal digests alone. All
/// other parts of names are numbers, times, and random identities.
struct KeyedNames: Sendable {
  private let key: [UInt8]

  init(_ key: ContainerKey) { self.key = key.derived(for: "names") }

  /// Returns the name in the store.
  func stored(_ key: ObjectKey) throws(CipherError) -> ObjectKey { try renamed(key, encrypts: true) }

  /// Returns the name that the store has as `key`.
  func original(_ key: ObjectKey) throws(CipherError) -> ObjectKey { try renamed(key, encrypts: false) }

  private func renamed(_ key: ObjectKey, encrypts: Bool) throws(CipherError) -> ObjectKey {
    var segments = key.segments
    guard segments.count > 1, let old = segments.last, let digest = BlobName(digits: old) else { return key }
    let new = "\(try permuted(digest, encrypts))"
    segments[segments.count - 1] = new[...]
    // The folder of a blob has the first digits.
    if segments.count > 2, segments[segments.count - 2] == old.prefix(2) {
      segments[segments.count - 2] = new.prefix(2)
    }
    return checkedKey(segments.joined(separator: "/"))
  }

  private func permuted(_ digest: BlobName, _ encrypts: Bool) throws(CipherError) -> BlobName {
    var bytes = [UInt8](repeating: 0, count: ContentHash.count)
    guard ccipher_permute(key, encrypts ? 1 : 0, digest.hash.bytes, &bytes) == 1,
      let hash = ContentHash(bytes: bytes[...])
    else { throw CipherError() }
    return BlobName(hash)
  }
}
