package import DurableIO
public import FoundationEssentials
package import PackageFormat
import Synchronization
import SystemPackage

extension FileWrapper {
  /// Reads everything again from the node at `url`, which may be of another kind than before.
  ///
  /// A child that still has its name and kind stays the same object.
  ///
  /// - Throws: as `init(url:options:)`; the wrapper then stays unchanged.
  public func read(from url: URL, options: FileWrapper.ReadingOptions = []) throws {
    let fresh = try FileWrapper(url: url, options: options)
    do {
      try fresh.makeObjects(like: self)
      // The replaced children are released after the lock.
      let replaced = Self.structure.withLock { _ in takeOver(fresh) }
      withExtendedLifetime(replaced) {}
    } catch let error as FilePackageError {
      throw error.cocoaError
    }
  }

  /// Makes objects of the children that may take the places of those in another tree.
  private func makeObjects(like old: FileWrapper) throws {
    guard isDirectory else { return }
    for (name, child) in old.objects { try self.child(name)?.makeObjects(like: child) }
  }

  /// Takes over the state that was read anew, and returns the children that left.
  ///
  /// The lock of the structure is held.
  private func takeOver(_ fresh: FileWrapper) -> [FileWrapper] {
    let (old, again) = (objects, fresh.objects)
    let kept = old.filter { again[$0]?.kind == $1.kind }
    var gone: [FileWrapper] = []
    for (name, child) in old {
      if kept[name] != nil, let again = again[name] {
        gone += child.takeOver(again)
      } else {
        child.leave(self)
        gone.append(child)
      }
    }
    for (name, child) in again where kept[name] == nil {
      child.state.withLock { $0.parents = [ParentLink(directory: self, name: name)] }
    }
    var new = fresh.state.withLock { $0 }
    if case .directory = new.node { new.withDirectory { $0.children.merge(kept) { _, kept in kept } } }
    change { state in
      new.parents = state.parents
      new.revision = state.revision
      new.preferredFilename = state.preferredFilename ?? new.preferredFilename
      state = new
    }
    claimNode()
    return gone
  }

  /// Reads everything beneath, so that no later access fails.
  func readAll() throws {
    do {
      switch kind {
      case .directory: try children().values.forEach { try $0.readAll() }
      case .symbolicLink: _ = try linkDestination()  // The wrapper remembers it.
      default: _ = try contents()  // The wrapper remembers them.
      }
    } catch let error as FilePackageError {
      throw error.cocoaError
    }
  }

  /// The bytes of a regular file; nil if they cannot be read, or if they changed since the wrapper was made.
  ///
  /// They stay in memory.
  public var regularFileContents: Data? {
    precondition(isRegularFile, "regularFileContents is for regular-file wrappers")
    // Nil for every failure is Apple's contract; `contents()` throws the reason.
    return try? contents()
  }

  /// Returns the bytes of a regular file.
  ///
  /// They stay in memory; use `forEachChunk(_:)` for files too large for memory.
  ///
  /// - Throws: a `FilePackageError`: `changedOnDisk` if another program changed the file since the wrapper was made.
  ///   `wrongKind` for a directory or a link, since other programs may have made it.
  public func contents() throws -> Data {
    let contents = try fileContents
    if case .data(let data) = contents { return data }
    let data = try contents.data()
    contents.noteRead()
    state.withLock { state in
      // Another thread or a save may have given the wrapper other bytes meanwhile; those stay.
      if case .stored(let now) = state.contents, case .stored(let read) = contents,
        now.isSamePlace(as: read), now.status == read.status
      {
        state.node = .file(.data(data))
      }
    }
    return data
  }

  /// Calls `body` with the bytes of a regular file, in order, in pieces of at most 1 MiB.
  ///
  /// Memory stays at one piece for a file of any size.
  ///
  /// - Throws: as `contents()`; the errors of `body`.
  public func forEachChunk(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let contents = try fileContents
    try contents.forEachChunk(body)
    contents.noteRead()
  }

  /// The number of bytes of a regular file, without reading them; nil for any other kind, or if the size is unknown.
  public var regularFileSize: UInt64? {
    (try? fileContents)?.size  // Another kind has no size.
  }

  var fileContents: FileContents {
    get throws(FilePackageError) {
      guard let contents = state.withLock({ $0.contents }) else { throw wrongKind(needed: .file) }
      return contents
    }
  }

  /// The destination of a symbolic link; nil if the link cannot be read.
  public var symbolicLinkDestinationURL: URL? {
    // Nil for every failure is Apple's contract; `linkDestination()` throws the reason.
    guard let bytes = try? linkDestination() else { return nil }
    let path = FileName(bytes: bytes).string
    // URL would expand a leading tilde to a home directory.
    return URL(filePath: path.hasPrefix("~") ? "./" + path : path, directoryHint: .notDirectory)
  }

  package func linkDestination() throws(FilePackageError) -> [UInt8] {
    let (node, stored) = state.withLock { ($0.node, $0.stored) }
    guard case .link(let destination) = node else {
      preconditionFailure("symbolicLinkDestinationURL is for symbolic-link wrappers")
    }
    switch destination {
    case .known(let bytes): return bytes
    case .unread:
      guard let stored else { return [] }
      let bytes = try stored.readLink()
      state.withLock { state in
        // Another thread may have read another destination into the wrapper meanwhile; that stays.
        if case .link(.unread) = state.node, state.stored?.isSamePlace(as: stored) == true {
          state.node = .link(.known(bytes))
        }
      }
      return bytes
    }
  }
}

extension FileWrapper.State {
  package init(reading url: URL) throws {
    self.init(try StoredNode(at: url, following: false))
    guard stored?.status?.kind.isSupported == true else {
      let error = stored.map {
        FilePackageError(.wrongKind, .read, $0, reason: "it is \($0.status?.kind.words ?? "no file")")
      }
      throw (error ?? FilePackageError(.noSuchFile, .read, document: url.path)).cocoaError
    }
    filename = url.lastPathComponent
    preferredFilename = url.lastPathComponent
  }

  package init(contentsOf url: URL) throws {
    let node: StoredNode
    do {
      node = try StoredNode(at: url, following: true)
    } catch let error as CocoaError {
      throw error.ofFile(at: url)
    }
    guard let status = node.status, status.kind == .file else {
      throw FilePackageError(.wrongKind, .read, node, reason: "it is not a regular file").cocoaError
        .ofFile(at: url)
    }
    self.init(node: .file(.stored(node)), attributes: .newFile())
    if status.mode & 0o111 != 0 { attributes.mode = 0o777 }
  }

  /// Makes the state of a wrapper from a node whose status was just read.
  package init(_ node: StoredNode, name: FileName? = nil, parent: FileWrapper.ParentLink? = nil) {
    let status = node.status
    let content: FileWrapper.Node =
      switch status?.kind {
      case .directory: .directory(DirectoryNode())
      case .symbolicLink: .link(.unread)
      default: .file(nil)
      }
    self.init(
      node: content, attributes: status.map(NodeAttributes.init) ?? .newFile(),
      preferredFilename: name?.string, filename: name?.string, stored: node,
      parents: parent.map { [$0] } ?? [])
  }

  /// The contents of a file; nil for another kind.
  var contents: FileContents? {
    guard case .file(let contents) = node else { return nil }
    return contents ?? stored.map { .stored($0) }
  }

  /// Changes the children in place.
  ///
  /// The wrapper must be a directory.
  package mutating func withDirectory<Result, Failure: Error>(
    _ body: (inout DirectoryNode) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard case .directory(var directory) = node else {
      preconditionFailure("this method is for directory wrappers")
    }
    // A second reference would cost a copy of all children.
    node = .link(.unread)
    defer { node = .directory(directory) }
    return try body(&directory)
  }
}
