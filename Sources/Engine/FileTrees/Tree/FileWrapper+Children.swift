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
    while true {
      let (children, missing): ([String: FileWrapper], [FileName]) = try withDirectory { directory in
        let names = directory.names().filter { $0 != hidden }.sorted()
        let missing = names.filter { directory.children[$0] == nil }
        if !missing.isEmpty { return ([:], missing) }
        var children: [String: FileWrapper] = [:]
        children.reserveCapacity(names.count)
        for name in names { children[directory.key(of: name)] = directory.children[name] }
        return (children, missing)
      }
      if missing.isEmpty { return children }
      try materialize(missing)
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
    while true {
      let (child, isMissing) = try withDirectory { directory in
        (directory.children[name], directory.listedKind(of: name) != nil)
      }
      if !isMissing { return child }
      try materialize([name])
    }
  }

  /// Returns the keys of all children in byte order of their names, without making objects of them.
  public func childNames() throws -> [String] { try keys() }

  /// Returns the keys of the regular files among the children, in byte order of their names, without making objects of
  /// them.
  ///
  /// - Throws: a `FilePackageError` if the directory cannot be read; `wrongKind` if this is not a directory.
  public func regularFileNames() throws -> [String] { try keys(of: .file) }

  private func keys(of kind: FileKind? = nil) throws -> [String] {
    let hidden = hiddenName
    return try withDirectory { directory in
      let names = directory.names().filter { name in
        name != hidden && (kind == nil || directory.kind(of: name) == kind)
      }
      return names.sorted().map { directory.key(of: $0) }
    }
  }

  /// Returns the number of children, without making objects of them.
  public func childCount() throws -> Int {
    let hidden = hiddenName
    return try withDirectory { directory in
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
    try withDirectory { directory in
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
  /// lock of a wrapper, never the reverse. No thread calls a disk while it holds one of them.
  static let structure = Mutex<Void>(())

  /// Adds a child under its preferred filename, or under `1__#$!@%!#__NAME` if that is taken, and returns the key.
  ///
  /// If the child is in this directory already, returns its key and changes nothing. Adding a child without a preferred
  /// filename is a programming error. Adding a directory to itself or to a directory within it is one as well. Writing
  /// the tree refuses names that no file can have.
  @discardableResult
  public func addFileWrapper(_ child: FileWrapper) -> String {
    precondition(isDirectory, "addFileWrapper is for directory wrappers")
    if let name = child.preferredFilename { prepare(for: FileName(name)) }
    return Self.structure.withLock { _ in
      precondition(!isWithin(child), "a directory wrapper cannot be added to itself or to a descendant")
      if let key = key(of: child) { return key }
      guard let preferred = child.preferredFilename else {
        preconditionFailure("addFileWrapper needs a child with a preferred filename")
      }
      let name = take(child, preferring: FileName(preferred))
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
      if child.name(in: self) != nil { changeNames(leaving: [child]) { _ in } }
    }
  }

  /// Gives a child a name in this directory, in place of the child there: one step for readers and for saves.
  ///
  /// The child gets that name in its other directories, too, as by setting its preferred filename.
  package func set(_ child: FileWrapper, at name: FileName) {
    for directory in child.parentDirectories + [self] {
      directory.prepare(for: name, replacing: directory === self)
    }
    Self.structure.withLock { _ in put(child, at: name) }
  }

  /// Gives a child a name in this directory; returns false if the name is taken.
  package func add(_ child: FileWrapper, at name: FileName) -> Bool {
    prepare(for: name)
    return Self.structure.withLock { _ in
      if state.withLock({ state in state.withDirectory { $0.contains(name) } }) { return false }
      put(child, at: name)
      return true
    }
  }

  /// The rest of `set(_:at:)`, with the lock of the structure held.
  private func put(_ child: FileWrapper, at name: FileName) {
    precondition(!isWithin(child), "a directory wrapper cannot be added to itself or to a descendant")
    child.state.withLock { $0.preferredFilename = name.string }
    for directory in child.parentDirectories where directory !== self {
      directory.take(child, preferring: name)
    }
    if child.name(in: self) == name { return }
    take(child, preferring: name, removing: objects[name], isFree: false)
  }

  /// Sets the preferred filename and gives the wrapper its new key in every directory that contains it.
  package func rename(to preferred: String) {
    for directory in parentDirectories { directory.prepare(for: FileName(preferred)) }
    Self.structure.withLock { _ in
      let isSame = state.withLock { state in
        defer { state.preferredFilename = preferred }
        return state.preferredFilename.map { FileName($0) } == FileName(preferred)
      }
      if isSame { return }
      for directory in parentDirectories { directory.take(self, preferring: FileName(preferred)) }
    }
  }

  /// Puts a child into this directory, or gives it another name there, and returns the name.
  ///
  /// The lock of the structure is held.
  ///
  /// - Parameters:
  ///   - old: the child that leaves the directory.
  ///   - isFree: whether a child under the preferred name keeps it.
  @discardableResult
  private func take(
    _ child: FileWrapper, preferring preferred: FileName, removing old: FileWrapper? = nil,
    isFree: Bool = true
  ) -> FileName {
    var name = preferred
    changeNames(leaving: [child, old].compactMap { $0 }) { directory in
      if !isFree && directory.contains(preferred) { directory.remove(preferred, nil) }
      name = directory.insert(child, preferring: preferred)
    }
    child.state.withLock { $0.parents.append(ParentLink(directory: self, name: name)) }
    return name
  }

  /// Removes those of these children that are in this directory, and makes a change of names in the same step.
  ///
  /// The lock of the structure is held.
  private func changeNames(leaving old: [FileWrapper], _ body: (inout DirectoryNode) -> Void) {
    let gone = old.compactMap { child in child.name(in: self).map { ($0, child) } }
    change { state in
      state.attributes.modified = nil
      state.withDirectory { directory in
        for (name, child) in gone { directory.remove(name, child) }
        body(&directory)
      }
    }
    for child in old { child.leave(self) }
  }

  /// Looks at a name that a child is to get. If it is taken, lists the directory: a number before the name must be free
  /// on disk, too.
  ///
  /// - Parameter replacing: whether the new child takes the place of the one there.
  private func prepare(for name: FileName, replacing: Bool = false) {
    if state.withLock({ $0.unlistedPlace }) == nil { return }
    do {
      switch try occupant(of: name) {
      case .nothing: return
      case .child where replacing: return
      case .child, .unsupported: try list()
      }
    } catch {
      // A directory that cannot be read accepts children too; a save reports the error.
    }
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

  func restoreParentLinks() {
    for (name, child) in objects {
      child.state.withLock { $0.parents.append(ParentLink(directory: self, name: name)) }
      child.restoreParentLinks()
    }
  }

  // MARK: Reading on demand

  func withDirectory<Result: Sendable>(_ body: (inout DirectoryNode) throws -> Result) throws -> Result {
    guard isDirectory else { throw wrongKind(needed: .directory) }
    while true {
      try list()
      // Another thread may have read the directory again meanwhile.
      let result: Result? = try state.withLock { state in
        state.unlistedPlace == nil ? try state.withDirectory(body) : nil
      }
      if let result { return result }
    }
  }

  /// Lists the directory, if it is on disk and was not listed yet.
  func list() throws(FilePackageError) {
    while let place = state.withLock({ $0.unlistedPlace }) {
      let listing = try place.list()
      state.withLock { state in
        // A save may have moved the directory meanwhile.
        guard state.unlistedPlace?.isSamePlace(as: place) == true else { return }
        state.withDirectory { $0.take(listing) }
      }
    }
  }

  /// Makes objects of listed children, unless a save moves the directory meanwhile.
  private func materialize(_ names: [FileName]) throws(FilePackageError) {
    guard let place = stored else { throw wrongKind(needed: .directory) }
    let nodes = try place.children(names)
    state.withLock { state in
      guard state.stored?.isSamePlace(as: place) == true else { return }
      state.withDirectory { directory in
        for (name, node) in zip(names, nodes) where directory.listedKind(of: name) != nil {
          let node = node.since(directory.seen.removeValue(forKey: name)?.status)
          directory.children[name] = FileWrapper(
            state: State(node, name: name, parent: ParentLink(directory: self, name: name)))
        }
      }
    }
  }
}

extension FileWrapper.State {
  /// The place of a directory that is on disk and was not listed yet.
  var unlistedPlace: StoredNode? {
    guard case .directory(let directory) = node, directory.listing == nil else { return nil }
    return stored
  }
}
