import DurableIO
public import FoundationEssentials
import Synchronization

extension FileWrapper {
  /// Whether the node at `url` is as this wrapper is, by what the file system says and without comparing
  /// contents: a regular file by modification date, to the nanosecond, and by permissions where the wrapper's
  /// came from disk or were assigned; a symbolic link by its destination; a directory by its children.
  ///
  /// A directory whose children were added or removed, or that is only in memory, matches nothing. Unlike
  /// Apple's, a directory that was not read yet is read now, so that the answer is the right one.
  public func matchesContents(of url: URL) -> Bool {
    // What cannot be read does not match.
    guard let other = try? FileWrapper(url: url) else { return false }
    return matches(other)
  }

  private func matches(_ other: FileWrapper) -> Bool {
    guard kind == other.kind else { return false }
    let (own, others) = (attributes, other.attributes)
    switch kind {
    case .symbolicLink:
      guard let destination = try? linkDestination() else { return false }
      return destination == (try? other.linkDestination())
    case .directory:
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
