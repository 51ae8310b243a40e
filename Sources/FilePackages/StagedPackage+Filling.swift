import Crypto
import DurableIO
import SystemPackage

extension StagedPackage {
  // MARK: Over the old state

  /// Brings everything of the old directory into the new one, but for what the plan replaces or removes there,
  /// then carries out the plan's steps in it.
  mutating func carry(
    from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor, at path: PackagePath
  ) throws(FilePackageError) {
    if path.names.count > PackageSnapshot.maximumDepth { throw failure(.tooDeep, path) }
    let status: FileStatus
    let listing: DirectoryListing
    do {
      status = try disk.status(of: old)
      listing = try disk.list(old)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "listing")
    }
    carried.append((path, status))
    let steps = steps[path] ?? []
    let named = Dictionary(steps.compactMap { step in step.path.name.map { ($0, step) } }) { $1 }
    for position in 0..<listing.count {
      let name = listing.name(at: position)
      let place = path.appending(name)
      if metadata != nil && place.names == [PackageLayout.metadata] { continue }
      var attributes: NodeAttributes?
      if let step = named[name] {
        guard case .setAttributes = step.action else { continue }
        attributes = step.attributes
      }
      if listing.kind(at: position) == .directory {
        try carryDirectory(name, from: old, to: new, at: place, attributes)
      } else {
        try carryEntry(name, from: old, to: new, at: place)
      }
    }
    try make(in: new, at: path)
    if path.isRoot { try writeMetadata(in: new) }
    let isTouched = steps.contains { if case .setAttributes = $0.action { false } else { true } }
    try finish(
      new, at: path, like: old, status, keepsDate: !isTouched && !(path.isRoot && metadata != nil))
  }

  private mutating func carryDirectory(
    _ name: FileName, from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor,
    at path: PackagePath, _ attributes: NodeAttributes?
  ) throws(FilePackageError) {
    let disk = disk
    let source = try attempt(path, "opening") { () throws(SystemError) in
      try disk.openDirectory(name, in: old)
    }
    let directory = try makeDirectory(name, in: new, at: path, mode: 0o700)
    try carry(from: source, to: directory, at: path)
    if let attributes {
      report.written.append(path.string)
      try finish(directory, at: path, attributes)
    }
  }

  /// A file, a symbolic link, or what is left alone: by a second name where that can be.
  private mutating func carryEntry(
    _ name: FileName, from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor,
    at path: PackagePath
  ) throws(FilePackageError) {
    let status: FileStatus
    do {
      status = try disk.status(of: name, in: old)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "looking at")
    }
    if status.kind.isSupported {
      report.reused += 1
      if status.kind == .file { report.bytesReused += status.size }
    } else {
      report.leftAlone.append(path.string)
    }
    if try !link(name, in: old, to: name, in: new, at: path) {
      try copy(name, status, from: old, to: name, in: new, at: path, attributes: nil)
    }
  }

  // MARK: Anew

  /// Carries out the plan's steps in one directory of the new state.
  mutating func make(in new: borrowing OwnedDescriptor, at path: PackagePath) throws(FilePackageError) {
    let steps = steps[path] ?? []
    try reuse(steps, in: new)
    for step in steps {
      guard let name = step.path.name else { continue }
      switch step.action {
      case .makeDirectory:
        if step.path.names.count > PackageSnapshot.maximumDepth { throw failure(.tooDeep, step.path) }
        let directory = try makeDirectory(name, in: new, at: step.path, mode: step.attributes.mode)
        try make(in: directory, at: step.path)
        try finish(directory, at: step.path, step.attributes)
        account(step.path, .directory, mode: 0, size: 0, SHA256().finalize())
      case .write(let contents):
        try write(contents, as: name, in: new, step)
        report.written.append(step.path.string)
      case .reuse:
        break
      case .link(let node):
        try makeLink(node, as: name, in: new, step)
        report.written.append(step.path.string)
      case .setAttributes:
        break
      case .remove:
        report.removed.append(step.path.string)
      }
    }
  }

  /// Makes a document that is one file or one link.
  mutating func makeAlone(
    _ step: SavePlan.Step, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    switch step.action {
    case .write(let contents): try write(contents, as: name, in: folder, step)
    case .link(let node): try makeLink(node, as: name, in: folder, step)
    default: throw failure(.wrongKind, step.path)
    }
  }

  private mutating func write(
    _ contents: FileContents, as name: FileName, in new: borrowing OwnedDescriptor, _ step: SavePlan.Step
  ) throws(FilePackageError) {
    let file = try create(name, in: new, at: step.path, mode: step.attributes.mode)
    let (size, digest) = try fill(file, at: step.path, contents)
    report.bytesWritten += size
    let mode: UInt16
    do {
      if let before = replaced[step.path], before.kind == .file {
        let folder = try location.openDirectory(step.path.parent)
        try keepAttributes(of: before, from: try disk.openFile(name, in: folder), on: file)
        if !step.attributes.modeIsExact { try disk.setMode(before.mode, of: file) }
      }
      if step.attributes.modeIsExact { try disk.setMode(step.attributes.mode, of: file) }
      if let modified = step.attributes.modified { try disk.setModified(modified, of: file) }
      try disk.synchronize(file)
      mode = metadata == nil ? 0 : try disk.status(of: file).mode
    } catch {
      throw FilePackageError(error, options.operation, node(step.path))
    }
    account(step.path, .file, mode: mode, size: size, digest)
  }

  /// Carries out the steps that take files as they are, each folder that they come from opened once.
  private mutating func reuse(
    _ steps: [SavePlan.Step], in new: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    var folders: [PackagePath: [(SavePlan.Step, StoredNode)]] = [:]
    for step in steps {
      if case .reuse(let source) = step.action {
        folders[source.path.parent, default: []].append((step, source))
      }
    }
    for group in folders.values {
      guard let (step, source) = group.first else { continue }
      let folder = try attempt(step.path, "opening the folder of the original of") { () throws(SystemError) in
        try source.location.openDirectory(source.path.parent)
      }
      for (step, source) in group { try reuse(source, from: folder, in: new, step) }
    }
  }

  private mutating func reuse(
    _ source: StoredNode, from folder: borrowing OwnedDescriptor, in new: borrowing OwnedDescriptor,
    _ step: SavePlan.Step
  ) throws(FilePackageError) {
    guard let sourceName = source.path.name, let name = step.path.name, let status = source.status else {
      return
    }
    report.reused += 1
    report.bytesReused += status.size
    let keepsAttributes =
      (!step.attributes.modeIsExact || step.attributes.mode == status.mode)
      && (step.attributes.modified ?? status.modified) == status.modified
    var isLinked = false
    if keepsAttributes { isLinked = try link(sourceName, in: folder, to: name, in: new, at: step.path) }
    if !isLinked {
      try copy(
        sourceName, status, from: folder, to: name, in: new, at: step.path, attributes: step.attributes)
    }
    if metadata != nil {
      var change = change
      try summarize(PackageSnapshot.Node(source, kind: .file), at: step.path) { change.add($0) }
      self.change = change
    }
  }

  private mutating func makeLink(
    _ link: PackageSnapshot.Node, as name: FileName, in new: borrowing OwnedDescriptor, _ step: SavePlan.Step
  ) throws(FilePackageError) {
    let destination = try link.destination()
    do {
      try disk.makeSymbolicLink(to: destination, named: name, in: new)
      if let modified = step.attributes.modified { try disk.setModified(modified, of: name, in: new) }
    } catch {
      throw FilePackageError(error, options.operation, node(step.path))
    }
    account(step.path, .symbolicLink, mode: 0, size: 0, SHA256.hash(data: destination))
  }

  /// Writes the library's own plist, from what the steps added up to.
  mutating func writeMetadata(in new: borrowing OwnedDescriptor) throws(FilePackageError) {
    guard let metadata else { return }
    let path = PackagePath([PackageLayout.metadata])
    let bytes = try metadata.completed(change)
    do {
      let file = try disk.createFile(PackageLayout.metadata, in: new, mode: 0o666)
      try disk.write(bytes, to: file, at: 0)
      try disk.synchronize(file)
    } catch {
      throw FilePackageError(error, options.operation, node(path))
    }
    report.bytesWritten += UInt64(bytes.count)
    report.written.append(path.string)
  }

  // MARK: Directories

  private func makeDirectory(
    _ name: FileName, in new: borrowing OwnedDescriptor, at path: PackagePath, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    do {
      // Whatever its own mode is to be, it has to be filled first.
      try disk.makeDirectory(name, in: new, mode: mode | 0o700)
      return try disk.openDirectory(name, in: new)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "making the folder")
    }
  }

  /// Gives a filled directory its attributes and makes its entries last.
  func finish(
    _ new: borrowing OwnedDescriptor, at path: PackagePath, _ attributes: NodeAttributes
  ) throws(FilePackageError) {
    do {
      if attributes.modeIsExact { try disk.setMode(attributes.mode, of: new) }
      if let modified = attributes.modified { try disk.setModified(modified, of: new) }
      try disk.synchronize(new)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "finishing the folder")
    }
  }

  private func finish(
    _ new: borrowing OwnedDescriptor, at path: PackagePath, like old: borrowing OwnedDescriptor,
    _ status: FileStatus, keepsDate: Bool
  ) throws(FilePackageError) {
    do {
      try keepOwner(of: status, on: new)
      for (name, value) in try disk.extendedAttributes(of: old) {
        try disk.setExtendedAttribute(name, value, of: new)
      }
      try disk.setMode(status.mode, of: new)
      if keepsDate { try disk.setModified(status.modified, of: new) }
      try disk.synchronize(new)
    } catch {
      throw FilePackageError(error, options.operation, node(path), activity: "finishing the folder")
    }
  }

  // MARK: Accounting

  private mutating func account(
    _ path: PackagePath, _ kind: FileKind, mode: UInt16, size: UInt64, _ content: SHA256.Digest
  ) {
    guard metadata != nil else { return }
    change.add(ChildSummary(path: path, kind: kind, mode: mode, size: size, content: content))
  }
}
