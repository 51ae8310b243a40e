import FilePackages
package import FoundationEssentials
import Synchronization

// EN1 The blobs of a version are a whole tree: each page and each content of its root, once, and nothing else.
// EN2 A small base may have its content in an earlier version alone. So an upload over it relies on none of its blobs.

/// Blobs that go with a version, or are about to, and are no objects of their own.
///
/// So a small document costs one object instead of one for its version, one for its page and one for each file. The
/// blobs have the same bytes and names as separate ones, so the root of a document does not depend on their place.
package final class Enclosure: Sendable {
  private let blobs: Mutex<[BlobName: Data]>

  package init(_ blobs: [Data] = []) {
    var named: [BlobName: Data] = [:]
    for bytes in blobs { named[BlobName(of: bytes)] = bytes }
    self.blobs = Mutex(named)
  }

  /// Returns a blob; nil if it is not here.
  subscript(name: BlobName) -> Data? { blobs.withLock { $0[name] } }

  /// All blobs.
  var all: [BlobName: Data] { blobs.withLock { $0 } }

  /// Adds a blob.
  func insert(_ bytes: Data, as name: BlobName) { blobs.withLock { $0[name] = bytes } }
}
