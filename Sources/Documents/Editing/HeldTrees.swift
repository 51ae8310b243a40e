import FilePackages

// A content is a value, so undoing gives back an earlier one. A `FileWrapper` in it is a reference: its children are
// remembered beside the value, and undoing gives them back, too. The bytes of a regular-file wrapper never change.

/// A content whose edits are not undone by the document, but by its own undo manager.
package protocol SelfUndoingContent {}

/// The folders of the trees that a content refers to, as they were at one moment.
///
/// It finds the wrappers in the content's properties, also in optionals, collections and structures within. Cost: the
/// properties; the children of each folder that has changed since the last time.
struct HeldTrees: Sendable {
  private let folders: [HeldFolder]

  /// - Parameter last: the trees of an earlier moment, which share the folders that have not changed.
  init(of content: Any, since last: HeldTrees? = nil) {
    guard !(content is any SelfUndoingContent) else {
      folders = []
      return
    }
    var found: [FileWrapper] = []
    Self.find(in: content, &found)
    folders = found.compactMap { wrapper in
      HeldFolder(wrapper, since: last?.folders.first { $0.wrapper === wrapper })
    }
  }

  /// Gives each folder the children that it had.
  func restore() {
    for folder in folders { folder.restore() }
  }

  private static func find(in value: Any, _ found: inout [FileWrapper], depth: Int = 0) {
    if let wrapper = value as? FileWrapper {
      if wrapper.isDirectory && !found.contains(where: { $0 === wrapper }) { found.append(wrapper) }
      return
    }
    guard depth < 4 else { return }
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .struct, .tuple, .enum, .optional:
      for child in mirror.children { find(in: child.value, &found, depth: depth + 1) }
    case .collection, .dictionary, .set:
      // Elements without a wrapper are many and of one type: the first stands for all.
      guard let first = mirror.children.first else { return }
      var sample: [FileWrapper] = []
      find(in: first.value, &sample, depth: depth + 1)
      if sample.isEmpty && !mirror.children.contains(where: { $0.value is FileWrapper }) { return }
      for child in mirror.children { find(in: child.value, &found, depth: depth + 1) }
    default: break
    }
  }
}

/// A folder and the folders in it, as they were at one moment.
private final class HeldFolder: Sendable {
  private struct Child: Sendable {
    let wrapper: FileWrapper
    let key: String
    let preferredFilename: String?
    /// Its own children, if it is a folder.
    let folder: HeldFolder?
  }

  let wrapper: FileWrapper
  private let revision: UInt64
  private let children: [Child]

  /// Returns nil for a folder that cannot be read: the application has none of its children.
  init?(_ wrapper: FileWrapper, since last: HeldFolder?) {
    // The revision comes first: a change during the rest makes this a changed folder.
    let revision = wrapper.revision
    (self.wrapper, self.revision) = (wrapper, revision)
    if let last, last.revision == revision {
      children = last.children
      return
    }
    guard let now = try? wrapper.allChildren() else { return nil }
    children = now.map { key, child in
      let before = last?.children.first { $0.wrapper === child }?.folder
      return Child(
        wrapper: child, key: key, preferredFilename: child.preferredFilename,
        folder: child.isDirectory ? HeldFolder(child, since: before) : nil)
    }.sorted { $0.key < $1.key }
  }

  func restore() {
    if wrapper.revision == revision { return }
    guard let now = try? wrapper.allChildren() else { return }
    let right = Dictionary(uniqueKeysWithValues: children.map { ($0.key, $0.wrapper) })
    for (key, child) in now where right[key] !== child { wrapper.removeFileWrapper(child) }
    // Of children that want one name, the one that has the name itself comes first.
    let missing = children.filter { now[$0.key] !== $0.wrapper }
    for child in missing.filter({ $0.key == $0.preferredFilename })
      + missing.filter({ $0.key != $0.preferredFilename })
    {
      child.wrapper.preferredFilename = child.preferredFilename ?? child.key
      wrapper.addFileWrapper(child.wrapper)
    }
    for child in children { child.folder?.restore() }
  }
}
