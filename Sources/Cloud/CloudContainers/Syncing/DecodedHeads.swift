import FoundationEssentials
import Synchronization

/// The last versions of documents, decoded, so that a run with many documents decodes each version once.
package final class DecodedHeads: Sendable {
  /// The number of versions that were decoded.
  package var count: Int { versions.withLock { $0.count } }
  private let versions = Mutex<[String: (bytes: Data, version: CloudVersion)]>([:])

  /// Returns the version of these bytes, which are the last version of a document.
  func version(_ bytes: Data, of id: String) throws(CloudVersion.Problem) -> CloudVersion {
    if let known = versions.withLock({ $0[id] }), known.bytes == bytes { return known.version }
    let version = try CloudVersion(decoding: bytes, isChecked: true)
    versions.withLock { $0[id] = (bytes, version) }
    return version
  }
}
