import DurableIO
import PackageFormat
import Synchronization
import SystemPackage

// A look at one name of a directory, which lists no others.
extension FileWrapper {
  /// The node under a name.
  enum Occupant: Sendable {
    case nothing
    case child(FileWrapper)
    /// A FIFO, a socket or a device, which cannot be a child.
    case unsupported
  }

  /// Returns the node under a name, for an edit in place: it looks at no other child of the directory.
  ///
  /// A reader lists the directory instead. If its program then makes a new tree of what it read, a save can tell apart
  /// children that left the tree and children that another program has added since.
  ///
  /// An edit lists the directory, too, if only the listing shows the exact name on disk: where the file system ignores
  /// case, and for other characters than ASCII.
  func occupant(of name: FileName) throws -> Occupant {
    guard isDirectory else { throw wrongKind(needed: .directory) }
    while let place = state.withLock({ $0.placeToLook(for: name) }) {
      guard let other = name.inOtherCase else {
        try list()
        break
      }
      let statuses = place.isHiddenFolder(name) ? [:] : try place.presentStatuses(of: [name, other])
      let status = statuses[name]
      if status != nil && statuses[other] != nil {
        try list()
        break
      }
      if status?.kind.isSupported == false { return .unsupported }
      note(status, of: name, at: place)
    }
    if let child = objects[name] { return .child(child) }
    if state.withLock({ $0.unlistedPlace }) != nil { return .nothing }
    if let child = try child(name) { return .child(child) }
    return try withDirectory { $0.isUnsupported(name) } ? .unsupported : .nothing
  }

  /// Notes what an edit found under a name, unless another thread has listed or changed the directory meanwhile.
  private func note(_ status: FileStatus?, of name: FileName, at place: StoredNode) {
    state.withLock { state in
      guard state.placeToLook(for: name)?.isSamePlace(as: place) == true else { return }
      let link = ParentLink(directory: self, name: name)
      state.withDirectory { directory in
        guard let status else { return _ = directory.absent.insert(name) }
        directory.children[name] = FileWrapper(
          state: State(place.child(name, status), name: name, parent: link))
      }
    }
  }
}

extension StoredNode {
  /// Returns whether a child of that name is the hidden folder of an open package, which is no child.
  fileprivate func isHiddenFolder(_ name: FileName) -> Bool {
    path.isRoot && location.isPackage && name == PackageLayout.hidden
  }
}

extension FileWrapper.State {
  /// Returns the place of the directory, if only a look at the disk shows whether a child has that name.
  fileprivate func placeToLook(for name: FileName) -> StoredNode? {
    guard case .directory(let directory) = node, directory.children[name] == nil,
      directory.changes[name] == nil,
      !directory.absent.contains(name)
    else { return nil }
    return unlistedPlace
  }
}
