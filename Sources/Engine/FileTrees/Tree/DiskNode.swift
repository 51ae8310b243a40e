package import DurableIO
import Synchronization

/// A node on disk as this program last saw it.
///
/// The wrapper of the node shares it with each directory that knows it under a name. So all of them learn where a save
/// moved the node, and which status it has there.
package final class DiskNode: Sendable {
  private struct Values: Sendable {
    var now: StoredNode
    weak var wrapper: FileWrapper?
  }

  private let values: Mutex<Values>

  package init(_ now: StoredNode, of wrapper: FileWrapper? = nil) {
    values = Mutex(Values(now: now, wrapper: wrapper))
  }

  /// The place and the status.
  package var now: StoredNode {
    get { values.withLock { $0.now } }
    set { values.withLock { $0.now = newValue } }
  }

  package var status: FileStatus? { values.withLock { $0.now.status } }

  /// The wrapper that was read from the node or saved as it; nil if there is none any more.
  package var wrapper: FileWrapper? {
    get { values.withLock { $0.wrapper } }
    set { values.withLock { $0.wrapper = newValue } }
  }
}
