import DurableIO
public import FoundationEssentials
package import PackageFormat
import Synchronization

extension FileWrapper {
  /// Returns whether the node at `url` matches this wrapper by its attributes, without comparing contents.
  ///
  /// A regular file matches by modification date, to the nanosecond. Its permissions count if the wrapper's came from
  /// disk or were assigned. A symbolic link matches by its destination, a directory by its children.
  ///
  /// A directory does not match if children were added or removed, or if it is only in memory. Unlike Apple's, this
  /// method reads a directory that was not read yet, so that the answer is right.
  public func matchesContents(of url: URL) -> Bool {
    // An unreadable node does not match.
    guard let other = try? FileWrapper(url: url) else { return false }
    return matches(other)
  }

  private func matches(_ other: FileWrapper) -> Bool {
    guard kind == other.kind else { return false }
    let (own, others) = (attributes, other.attributes)
    switch kind {
    case .symbolicLink:
      guard let destination = try? linkDestination() else { return false }  // Unreadable: no match.
      return destination == (try? other.linkDestination())  // An unreadable link does not match.
    case .directory:
      // A directory that cannot be read does not match.
      guard own.modified != nil, let children = try? children(), let theirs = try? other.children() else {
        return false
      }
      return children.count == theirs.count
        && children.allSatisfy { key, child in theirs[key].map(child.matches) ?? false }
    default:
      return own.modified == others.modified && (!own.modeIsExact || own.mode == others.mode)
    }
  }

  package var attributes: NodeAttributes {
    state.withLock { $0.attributes }
  }
}
