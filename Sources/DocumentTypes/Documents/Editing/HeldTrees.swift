import FilePackages

// A content is a value, so undoing gives back an earlier one. A `FileWrapper` in it is a reference: its children are
// remembered beside the value, and undoing gives them back, too. The bytes of a regular-file wrapper never change.

/// The folders of the trees that a content refers to, as they were at one moment.
///
/// Cost: the children of each folder that has changed since the last time.
struct HeldTrees: Sendable {
  private let folders: [FileWrapper: HeldFolder]

  /// - Parameters:
  ///   - wrappers: the folders; files among them do not count.
  ///   - last: the trees of an earlier moment, which share the folders that have not changed.
  init(_ wrappers: [FileWrapper], since last: HeldTrees?) {
    let folders = Set(wrappers.filter(\.isDirectory))
    self.folders = Dictionary(
      uniqueKeysWithValues: folders.map { ($0, HeldFolder($0, since: last?.folders[$0])) })
  }

  /// Gives each folder the children that it had.
  ///
  /// - Throws: the error of a changed folder that could not be read then, or cannot be read now. No folder has changed.
  func restore() throws {
    var changes: [FolderChange] = []
    for folder in folders.values { try folder.findChanges(&changes) }
    // A folder enters another one only after that one has left it.
    for change in changes { change.remove() }
    for change in changes { change.add() }
  }
}

/// A folder and the folders in it, as they were at one moment.
private final class HeldFolder: Sendable {
  struct Child: Sendable {
    let wrapper: FileWrapper
    let key: String
    let preferredFilename: String?
    /// Its own children, if it is a folder.
    let folder: HeldFolder?
  }

  let wrapper: FileWrapper
  private let revision: UInt64
  /// The children, or the reason why the folder could not be read. An edit that leaves the folder alone needs none.
  private let children: Result<[Child], any Error>

  init(_ wrapper: FileWrapper, since last: HeldFolder?) {
    // The revision comes first: a change during the rest makes this a changed folder.
    let revision = wrapper.revision
    (self.wrapper, self.revision) = (wrapper, revision)
    var before: [FileWrapper: HeldFolder] = [:]
    if let last, case .success(let read) = last.children {
      if last.revision == revision {
        children = last.children
        return
      }
      for child in read { before[child.wrapper] = child.folder }
    }
    children = Result { [before] in
      try wrapper.allChildren().map { key, child in
        Child(
          wrapper: child, key: key, preferredFilename: child.preferredFilename,
          folder: child.isDirectory ? HeldFolder(child, since: before[child]) : nil)
      }.sorted { $0.key < $1.key }
    }
  }

  /// Adds the changes that give this folder, and those in it, the children of that moment.
  func findChanges(_ changes: inout [FolderChange]) throws {
    if wrapper.revision == revision { return }
    let (then, now) = (try children.get(), try wrapper.allChildren())
    let right = Dictionary(uniqueKeysWithValues: then.map { ($0.key, $0.wrapper) })
    let change = FolderChange(
      folder: wrapper, removed: now.filter { right[$0.key] !== $0.value }.map(\.value),
      added: then.filter { now[$0.key] !== $0.wrapper })
    changes.append(change)
    for child in then { try child.folder?.findChanges(&changes) }
  }
}

/// The children to remove from a folder, and those to add.
private struct FolderChange {
  var folder: FileWrapper
  var removed: [FileWrapper]
  var added: [HeldFolder.Child]

  func remove() {
    for child in removed { folder.removeFileWrapper(child) }
  }

  func add() {
    // Of children that want one name, the one that has the name itself comes first.
    for child in added.filter({ $0.key == $0.preferredFilename })
      + added.filter({ $0.key != $0.preferredFilename })
    {
      child.wrapper.preferredFilename = child.preferredFilename ?? child.key
      folder.addFileWrapper(child.wrapper)
    }
  }
}
