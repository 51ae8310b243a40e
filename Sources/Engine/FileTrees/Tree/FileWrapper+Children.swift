package import DurableIO
public import FoundationEssentials
package import PackageFormat
import Synchronization

extension FileWrapper {
  // MARK: Looking

  /// The children by key; nil if the directory, or a child that was not looked at yet, cannot be read.
  ///
  /// It is also nil for a file or a link. Apple's property raises an exception then, which Swift cannot catch, and
  /// models test for a directory by `guard let`. `children()` throws `wrongKind`.
  ///
  /// Makes an object of every child: O(children). `child(named:)`, `childNames()` and `childCount()` do not.
  public var fileWrappers: [String: FileWrapper]? {
    // Nil for every failure is Apple's contract; `children()` throws the reason.
    return try? children()
  }

  /// Returns the children by key.
  ///
  /// FIFOs, sockets and devices are not among them; a save leaves them in place.
  ///
  /// - Throws: a `FilePackageError` that names the unreadable node; `wrongKind` if this is not a directory.
  public func children() throws -> [String: FileWrapper] {
    try children(hiding: hiddenName)
  }

  /// Returns the children by key, also those that are hidden from callers.
  package func allChildren() throws -> [String: FileWrapper] { try children(hiding: nil) }

  private func children(hiding hidden: FileName?) throws -> [String: FileWrapper] {
    try withDirectory { stored, directory in
      let names = directory.names().filter { $0 != hidden }.sorted()
      try materialize(names.filter { directory.children[$0] == nil }, of: stored, in: &directory)
      var children: [String: FileWrapper] = [:]
      children.reserveCapacity(names.count)
      for name in names { children[directory.key(of: name)] = directory.children[name] }
      return children
    }
  }

  /// Returns the child of that key, or nil if there is none.
  ///
  /// Makes an object of this child only; O(1).
  ///
  /// - Throws: a `FilePackageError` if the directory or the child cannot be read.
  public func child(named key: String) throws -> FileWrapper? {
    let name = FileName(key)
    return name == hiddenName ? nil : try child(name)
  }

  package func child(_ name: FileName) throws -> FileWrapper? {
    try withDirectory { stored, directory in
      if directory.listedKind(of: name) != nil {
        try materialize([name], of: stored, in: &directory)
      }
      return directory.children[name]
    }
  }

  /// Returns the keys of all children in byte order of their names, without making objects of them.
  public func childNames() throws -> [String] {
    let hidden = hiddenName
    return try withDirectory { _, directory in
      directory.names().filter { $0 != hidden }.sorted().map { directory.key(of: $0) }
    }
  }

  /// Returns the keys of the regular files among the children, in byte order of their names, without making objects of
  /// them.
  ///
  /// - Throws: a `FilePackageError` if the directory cannot be read; `wrongKind` if this is not a directory.
  public func regularFileNames() throws -> [String] {
    let hidden = hiddenName
    return try withDirectory { _, directory in
      let names = directory.names().filter { name in
        name != hidden && (directory.listedKind(of: name) ?? directory.children[name]?.kind) == .file
      }
      return names.sorted().map { directory.key(of: $0) }
    }
  }

  /// Returns the number of children, without making objects of them.
  public func childCount() throws -> Int {
    let hidden = hiddenName
    return try withDirectory { _, directory in
      directory.count - (hidden.map(directory.contains) == true ? 1 : 0)
    }
  }

  /// The role of `Metadata.plist` in this tree; the store of the package sets it.
  package var metadataRole: MetadataRole {
    get { state.withLock { $0.metadataRole } }
    set { state.withLock { $0.metadataRole = newValue } }
  }

  /// The name that the accessors by key leave out; nil if there is none.
  private var hiddenName: FileName? { metadataRole == .hidden ? PackageLayout.metadata : nil }

  /// Returns the names of the FIFOs, sockets and devices in this directory on disk, which cannot be children.
  package func unsupportedNames() throws -> [FileName] {
    try withDirectory { _, directory in
      guard let listing = directory.listing else { return [] }
      return (0..<listing.count).filter { !listing.kind(at: $0).isSupported }.map(listing.name(at:))
    }
  }

  /// Returns the key of a child in this directory, by identity; nil if the directory does not contain it.
  public func keyForChildFileWrapper(_ child: FileWrapper) -> String? {
    precondition(isDirectory, "keyForChildFileWrapper is for directory wrappers")
    return Self.structure.withLock { _ in key(of: child) }
  }

  // MARK: Changing

  /// Held while a wrapper changes, while a tree is frozen, and while it takes up a saved state.
  ///
  /// So no save can miss a child on its way from one name to another, or an edit. Lock order: this lock first, then the
  /// lock of a wrapper, then that of a node on disk, never the reverse. Calls to a disk come before all of them.
  static let structure = Mutex<Void>(())

  /// Adds a child under its preferred filename, or under `1__#$!@%!#__NAME` if that is taken, and returns the key.
  ///
  /// If the child is in this directory already, returns its key and changes nothing. Adding a child without a preferred
  /// filename is a programming error. Adding a directory to itself or to a directory within it is one as well. Writing
  /// the tree refuses names that no file can have.
  @discardableResult
  public func addFileWrapper(_ child: FileWrapper) -> String {
    precondition(isDirectory, "addFileWrapper is for directory wrappers")
    prepareForNames()
    return Self.structure.withLock { _ in
      precondition(!isWithin(child), "a directory wrapper cannot be added to itself or to a descendant")
      if let key = key(of: child) { return key }
      guard let preferred = child.preferredFilename else {
        preconditionFailure("addFileWrapper needs a child with a preferred filename")
      }
      var name = FileName(preferred)
      change { state in
        state.listForNames()
        state.attributes.modified = nil
        name = state.withDirectory { $0.insert(child, preferring: name) }
      }
      child.state.withLock { state in
        state.parents.removeAll { $0.directory == nil }
        state.parents.append(ParentLink(directory: self, name: name))
      }
      return state.withLock { state in state.withDirectory { $0.key(of: name) } }
    }
  }

  /// Makes a regular file of these bytes, adds it, and returns its key.
  ///
  /// An empty name is a programming error.
  @discardableResult
  public func addRegularFile(withContents data: Data, preferredFilename fileName: String) -> String {
    precondition(isDirectory, "addRegularFile is for directory wrappers")
    let child = FileWrapper(regularFileWithContents: data)
    child.preferredFilename = fileName
    return addFileWrapper(child)
  }

  /// Removes a child from this directory.
  ///
  /// Does nothing if the child is not in it.
  public func removeFileWrapper(_ child: FileWrapper) {
    precondition(isDirectory, "removeFileWrapper is for directory wrappers")
    Self.structure.withLock { _ in
      guard let name = child.name(in: self) else { return }
      let node = child.diskNode
      change { state in
        state.attributes.modified = nil
        state.withDirectory { $0.remove(name, was: node) }
      }
      child.leave(self)
    }
  }

  /// Gives a child a name in this directory, in place of the child there: one step for readers and for saves.
  ///
  /// The child gets that name in its other directories, too, as by setting its preferred filename.
  package func set(_ child: FileWrapper, at name: FileName) {
    for directory in child.parentDirectories + [self] { directory.prepareForNames() }
    Self.structure.withLock { _ in put(child, at: name) }
  }

  /// Gives a child a name in this directory; returns false if the name is taken.
  package func add(_ child: FileWrapper, at name: FileName) -> Bool {
    prepareForNames()
    return Self.structure.withLock { _ in
      let isTaken = state.withLock { state in
        state.listForNames()
        return state.withDirectory { $0.contains(name) }
      }
      if isTaken { return false }
      put(child, at: name)
      return true
    }
  }

  /// The rest of `set(_:at:)`, with the lock of the structure held.
  private func put(_ child: FileWrapper, at name: FileName) {
    precondition(!isWithin(child), "a directory wrapper cannot be added to itself or to a descendant")
    child.state.withLock { $0.preferredFilename = name.string }
    for directory in child.parentDirectories where directory !== self {
      directory.rekey(child, preferring: name)
    }
    let earlier = child.name(in: self)
    if earlier == name { return }
    let old = objects([name])[name]
    let (node, oldNode) = (child.diskNode, old?.diskNode)
    var new = name
    change { state in
      state.listForNames()
      state.attributes.modified = nil
      new = state.withDirectory { directory in
        if let earlier { directory.remove(earlier, was: node) }
        if directory.contains(name) { directory.remove(name, was: oldNode) }
        return directory.insert(child, preferring: name)
      }
    }
    old?.leave(self)
    child.leave(self)
    child.state.withLock { $0.parents.append(ParentLink(directory: self, name: new)) }
  }

  /// Sets the preferred filename and gives the wrapper its new key in every directory that contains it.
  package func rename(to preferred: String) {
    for directory in parentDirectories { directory.prepareForNames() }
    Self.structure.withLock { _ in
      let isSame = state.withLock { state in
        defer { state.preferredFilename = preferred }
        return state.preferredFilename.map { FileName($0) } == FileName(preferred)
      }
      if isSame { return }
      for directory in parentDirectories { directory.rekey(self, preferring: FileName(preferred)) }
    }
  }

  private func rekey(_ child: FileWrapper, preferring preferred: FileName) {
    guard let old = child.name(in: self) else { return }
    var new = old
    let node = child.diskNode
    change { state in
      state.listForNames()
      state.attributes.modified = nil
      new = state.withDirectory { directory in
        directory.remove(old, was: node)
        return directory.insert(child, preferring: preferred)
      }
    }
    child.leave(self)
    child.state.withLock { $0.parents.append(ParentLink(directory: self, name: new)) }
  }

  /// Lists the directory before the lock of the structure is taken. Listing again under the lock costs nothing, unless a
  /// save just ended and dropped the listing.
  private func prepareForNames() {
    state.withLock { $0.listForNames() }
  }

  // MARK: Keeping track

  /// Makes a change of this wrapper alone, such as of its attributes.
  package func edit(_ body: (inout State) -> Void) {
    Self.structure.withLock { _ in change(body) }
  }

  /// Makes a change and reports it to every directory above, so that a save skips unchanged children.
  ///
  /// The lock of the structure is held: no tree takes up a saved state meanwhile (T1).
  func change(_ body: (inout State) -> Void) {
    let (parents, node) = state.withLock { state in
      let node = state.disk
      body(&state)
      state.revision += 1
      return (state.parents, node)
    }
    for parent in parents {
      parent.directory?.childChanged(parent.name, child: self, was: node)
    }
  }

  private func childChanged(_ name: FileName, child: FileWrapper, was node: DiskNode?) {
    guard state.withLock({ state in state.withDirectory { $0.children[name] === child } }) else { return }
    change { state in state.withDirectory { $0.markChanged(name, was: .present(node)) } }
  }

  private func name(in directory: FileWrapper) -> FileName? {
    state.withLock { state in state.parents.first { $0.directory === directory }?.name }
  }

  private func key(of child: FileWrapper) -> String? {
    child.name(in: self).map { name in state.withLock { state in state.withDirectory { $0.key(of: name) } } }
  }

  func leave(_ directory: FileWrapper) {
    state.withLock { state in state.parents.removeAll { $0.directory === directory || $0.directory == nil } }
  }

  private var parentDirectories: [FileWrapper] {
    state.withLock { $0.parents.compactMap(\.directory) }
  }

  var diskNode: DiskNode? { state.withLock { $0.disk } }

  /// The node on disk that this wrapper was read from or last saved as.
  package var stored: StoredNode? { diskNode?.now }

  private func isWithin(_ other: FileWrapper) -> Bool {
    self === other || parentDirectories.contains { $0.isWithin(other) }
  }

  /// The children that are objects, by name; empty if this is no directory.
  package var objects: [FileName: FileWrapper] {
    state.withLock { state in
      if case .directory(let directory) = state.node { directory.children } else { [:] }
    }
  }

  /// Returns the children under these names that are objects.
  func objects(_ names: some Collection<FileName>) -> [FileName: FileWrapper] {
    state.withLock { state in
      guard case .directory(let directory) = state.node else { return [:] }
      var objects: [FileName: FileWrapper] = [:]
      objects.reserveCapacity(names.count)
      for name in names { objects[name] = directory.children[name] }
      return objects
    }
  }

  func restoreParentLinks() {
    for (name, child) in objects {
      child.state.withLock { $0.parents.append(ParentLink(directory: self, name: name)) }
      child.restoreParentLinks()
    }
  }

  // MARK: Reading on demand

  func withDirectory<Result: Sendable>(_ body: (StoredNode?, inout DirectoryNode) throws -> Result)
    throws -> Result
  {
    guard isDirectory else { throw wrongKind(needed: .directory) }
    return try state.withLock { state in
      try state.list()
      let stored = state.stored
      return try state.withDirectory { directory in
        try body(stored, &directory)
      }
    }
  }

  private func materialize(
    _ names: [FileName], of stored: StoredNode?, in directory: inout DirectoryNode
  ) throws(FilePackageError) {
    guard let stored, !names.isEmpty else { return }
    let children = try stored.children(names)
    for (name, child) in zip(names, children) {
      let child = child.since(directory.seen.removeValue(forKey: name)?.status)
      directory.children[name] = FileWrapper(
        state: State(child, name: name, parent: ParentLink(directory: self, name: name)))
    }
  }
}

extension FileWrapper.State {
  /// Lists the directory, since a new name must not be one that is on disk.
  fileprivate mutating func listForNames() {
    // A directory that cannot be listed accepts children too; a save reports the error.
    try? list()
  }
}
