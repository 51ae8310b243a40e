import DurableIO

extension FileWrapper {
  /// Remembers the status of each node on disk in this tree, for a program that is about to read the files by itself.
  ///
  /// If another program changes a file later, the tree knows it, although the file never was an object. Without this
  /// the tree would take the file's status from the moment of the first look.
  ///
  /// Cost: a look at each child; an object for each folder.
  ///
  /// - Throws: a `FilePackageError` if a folder or a child cannot be looked at.
  package func noteStatuses() throws {
    guard isDirectory else { return }
    let (names, folders) = try withDirectory { directory in
      let names = directory.names()
      return (
        names.filter { directory.children[$0] == nil }, names.filter { directory.kind(of: $0) == .directory }
      )
    }
    if let stored {
      let statuses = try stored.presentStatuses(of: names)
      try withDirectory { directory in
        for (name, status) in statuses { directory.seen[name] = DiskNode(stored.child(name, status)) }
      }
    }
    for name in folders { try child(name)?.noteStatuses() }
  }
}

extension StoredNode {
  /// Returns the node with the status that the tree noted, if the file has other bytes by now.
  func since(_ seen: FileStatus?) -> StoredNode {
    guard let seen, let status else { return self }
    let isSame =
      status.kind == seen.kind
      && (status.kind == .directory
        ? status.identity.isSameNode(as: seen.identity) : status.identity.hasSameContents(as: seen.identity))
    if isSame { return self }
    var node = self
    node.status = seen
    return node
  }
}
