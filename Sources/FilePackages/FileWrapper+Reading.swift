import DurableIO
public import FoundationEssentials
import Synchronization
import SystemPackage

extension FileWrapper {
  /// Reads everything again from the node at `url`, which may be of another kind than before. Children that
  /// are still there under their names and kinds stay the same objects.
  ///
  /// - Throws: as `init(url:options:)`; the wrapper is then as it was.
  public func read(from url: URL, options: FileWrapper.ReadingOptions = []) throws {
    let fresh = try FileWrapper(url: url, options: options)
    do {
      for (wrapper, fresh) in try survivors(of: fresh).reversed() { wrapper.takeOver(fresh) }
    } catch let error as FilePackageError {
      throw error.cocoaError
    }
  }

  /// This wrapper and the ones beneath it that go on, each with what was read anew for it, from the top down.
  private func survivors(of fresh: FileWrapper) throws -> [(FileWrapper, FileWrapper)] {
    var pairs = [(self, fresh)]
    guard isDirectory, fresh.isDirectory else { return pairs }
    let children = state.withLock { state in state.withDirectory { $0.children } }
    for (name, child) in children {
      if let again = try fresh.child(name), again.kind == child.kind {
        pairs += try child.survivors(of: again)
      }
    }
    return pairs
  }

  private func takeOver(_ fresh: FileWrapper) {
    var new = fresh.state.withLock { $0 }
    let old = isDirectory ? state.withLock { state in state.withDirectory { $0.children } } : [:]
    var arrivals: [FileName: FileWrapper] = [:]
    var leavers = old
    if fresh.isDirectory {
      new.withDirectory { directory in
        arrivals = directory.children
        for (name, child) in old where arrivals[name]?.kind == child.kind {
          directory.children[name] = child
          arrivals[name] = nil
          leavers[name] = nil
        }
      }
    }
    for child in leavers.values { child.state.withLock { $0.parents.removeAll { $0.directory === self } } }
    for (name, child) in arrivals {
      child.state.withLock { $0.parents = [ParentLink(directory: self, name: name)] }
    }
    change { state in
      new.parents = state.parents
      new.revision = state.revision
      new.preferredFilename = state.preferredFilename ?? new.preferredFilename
      state = new
    }
  }

  /// Reads everything beneath, so that nothing can fail later.
  func readAll() throws {
    do {
      switch kind {
      case .directory: try children().values.forEach { try $0.readAll() }
      case .symbolicLink: _ = try linkDestination()
      default: _ = try contents()
      }
    } catch let error as FilePackageError {
      throw error.cocoaError
    }
  }

  /// The bytes of a regular file, or nil when they cannot be read, or are no longer those that were there when
  /// the wrapper was made. They stay in memory.
  public var regularFileContents: Data? {
    // Nil for every failure is Apple's contract; `contents()` says which.
    try? contents()
  }

  /// The bytes of a regular file. They stay in memory; `forEachChunk(_:)` is for files that are too large for
  /// that.
  ///
  /// - Throws: a `FilePackageError`, `changedOnDisk` when another program changed the file since the wrapper was
  ///   made.
  public func contents() throws -> Data {
    let contents = fileContents
    if case .data(let data) = contents { return data }
    let data = try contents.data()
    state.withLock { state in
      // Another thread may have read something else into the wrapper meanwhile; that stays.
      if case .file(.stored(let now)) = state.node, case .stored(let read) = contents,
        now.isSamePlace(as: read)
      {
        state.node = .file(.data(data))
      }
    }
    return data
  }

  /// Calls `body` with the bytes of a regular file, in order, in pieces of at most 1 MiB. Memory stays at one
  /// piece whatever the size of the file.
  ///
  /// - Throws: as `contents()`, and what `body` throws.
  public func forEachChunk(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    try fileContents.forEachChunk(body)
  }

  /// Makes a regular file of the bytes of another file, which are read when this one is written: a child of
  /// 10 GB needs 1 MiB of memory, and no disk space where the file system can share blocks.
  ///
  /// - Throws: `CocoaError` when `url` is not a regular file or cannot be looked at.
  public convenience init(regularFileWithContentsOf url: URL) throws {
    let node = try StoredNode(at: FilePath(lossless: url.path), following: true)
    guard let status = node.status, status.kind == .file else {
      throw FilePackageError(.wrongKind, .read, node, reason: "it is not a regular file").cocoaError
    }
    var attributes = NodeAttributes.newFile()
    attributes.mode = status.mode & 0o111 == 0 ? 0o666 : 0o777
    self.init(state: State(node: .file(.stored(node)), attributes: attributes))
  }

  /// The number of bytes of a regular file, without reading them; nil when it cannot be told.
  public var regularFileSize: UInt64? {
    fileContents.size
  }

  var fileContents: FileContents {
    state.withLock { state in
      guard case .file(let contents) = state.node else {
        preconditionFailure("regularFileContents is for regular-file wrappers")
      }
      return contents
    }
  }

  /// The destination of a symbolic link, or nil when the link cannot be read any more.
  public var symbolicLinkDestinationURL: URL? {
    // Nil for every failure is Apple's contract; `linkDestination()` says which.
    guard let bytes = try? linkDestination() else { return nil }
    return URL(filePath: FileName(bytes: bytes).string, directoryHint: .notDirectory)
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
      state.withLock { $0.node = .link(.known(bytes)) }
      return bytes
    }
  }
}

extension FileWrapper.State {
  init(reading url: URL) throws {
    self.init(try StoredNode(at: FilePath(lossless: url.path), following: false))
    guard stored?.status?.kind.isSupported == true else {
      let error = stored.map {
        FilePackageError(.wrongKind, .read, $0, reason: "it is \($0.status?.kind.words ?? "no file")")
      }
      throw (error ?? FilePackageError(.noSuchFile, .read, document: url.path)).cocoaError
    }
    filename = url.lastPathComponent
    preferredFilename = url.lastPathComponent
  }

  /// The state of a wrapper for a node that was just looked at.
  init(_ node: StoredNode, name: FileName? = nil, parent: FileWrapper.ParentLink? = nil) {
    let status = node.status
    let content: FileWrapper.Node =
      switch status?.kind {
      case .directory: .directory(DirectoryNode())
      case .symbolicLink: .link(.unread)
      default: .file(.stored(node))
      }
    self.init(
      node: content, attributes: status.map(NodeAttributes.init) ?? .newFile(),
      preferredFilename: name?.string, filename: name?.string, stored: node,
      parents: parent.map { [$0] } ?? [])
  }

  /// Lists the directory on disk, if it is on disk and was not listed yet.
  package mutating func list() throws(FilePackageError) {
    guard let stored, case .directory(let directory) = node, directory.listing == nil else { return }
    let listing = try stored.list()
    withDirectory { $0.listing = listing }
  }

  /// Changes the children in place. The wrapper has to be a directory.
  package mutating func withDirectory<Result, Failure: Error>(
    _ body: (inout DirectoryNode) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard case .directory(var directory) = node else {
      preconditionFailure("this method is for directory wrappers")
    }
    // The second reference would cost a copy of all children.
    node = .link(.unread)
    defer { node = .directory(directory) }
    return try body(&directory)
  }
}
