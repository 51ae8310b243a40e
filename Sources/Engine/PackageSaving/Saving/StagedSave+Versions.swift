import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

extension StagedSave {
  /// Makes the save keep the version that it replaces.
  mutating func keepVersion() {
    guard children.metadata != nil else { return }
    let token = UUID.new.token
    var names: [PackagePath: FileName] = [:]
    for (index, step) in children.plan.steps.enumerated()
    where step.replaced != nil && !PackageLayout.isOurs(step.path) {
      names[step.path] = FileName("\(token)-\(index)")
    }
    children.keeping = NewChildren.VersionNotes(names: names)
  }

  /// Gives the new state the history, with the nodes of the version that it replaces.
  ///
  /// They come by hard links, or else by copies. The nodes of earlier versions were carried over like everything else.
  mutating func keepHistory(
    from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let version: VersionRecord?
    do {
      version = children.version(over: try disk.status(of: old))
    } catch {
      throw FilePackageError(error, options.operation, node(.root))
    }
    guard history != nil || version != nil else { return }
    let disk = disk
    do {
      try disk.makeDirectoryIfAbsent(PackageLayout.hidden, in: new)
      let hidden = try disk.openDirectory(PackageLayout.hidden, in: new)
      if let version {
        try keep(version, from: old, in: hidden)
        var file = history.flatMap { HistoryFile($0) } ?? HistoryFile(tip: version.revision)
        let before = Array((history ?? file.header).prefix(file.end.offset))
        history = before + (try file.append(version))
      }
      let file = try disk.createFile(PackageLayout.history, in: hidden, mode: 0o666)
      try disk.write(history ?? [], to: file, at: 0)
      try disk.synchronize(file)
      try disk.synchronize(hidden)
    } catch {
      throw FilePackageError(
        any: error, options.operation, node(.root), activity: "keeping the earlier version in")
    }
  }

  private mutating func keep(
    _ version: VersionRecord, from old: borrowing OwnedDescriptor, in hidden: borrowing OwnedDescriptor
  ) throws {
    let disk = disk
    guard version.rows.contains(where: { $0.node?.place != nil }) else { return }
    try disk.makeDirectoryIfAbsent(PackageLayout.versions, in: hidden)
    let versions = try disk.openDirectory(PackageLayout.versions, in: hidden)
    for row in version.rows {
      guard let node = row.node, let place = node.place, let name = place.name, let original = row.path.name
      else { continue }
      var folder = OpenNode(try disk.openDirectory(PackageLayout.versions, in: hidden))
      for name in place.parent.names {
        folder = OpenNode(try disk.openDirectory(name, in: folder.descriptor))
      }
      if node.kind == .directory {
        let made = try children.makeDirectory(name, in: folder.descriptor, at: row.path, mode: 0o700)
        try disk.synchronize(made)
        try disk.synchronize(folder.descriptor)
        continue
      }
      let source = try children.folder(row.path.parent, beneath: old)
      if try !children.link(original, in: source.descriptor, to: name, in: folder.descriptor, at: row.path) {
        let status = try disk.status(of: original, in: source.descriptor)
        try children.copy(
          original, status, from: source.descriptor, to: name, in: folder.descriptor, at: row.path)
        carried.append((row.path, status))
      }
      if !place.parent.isRoot { try disk.synchronize(folder.descriptor) }
    }
    try disk.synchronize(versions)
  }
}
