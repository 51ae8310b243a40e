import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

extension PackageWriter {
  /// Publishes the save of an interrupted program, and loads the metadata. Without such a save it only reads (W4).
  package func recover() throws(FilePackageError) {
    let found: SaveLog.Found = try node.attempt(.open, "looking for its log") {
      try SaveLog.isClean(at: location) ? .nothing : SaveLog.find(of: location)
    }
    if case .damaged(let reason, _) = found {
      state.damage(by: FilePackageError(.logDamaged, .open, node, reason: "its log is damaged: \(reason)"))
    }
    baseline.loadMetadata(at: location)
    if baseline.metadata.isChild { tree.metadataRole = .child }
    guard case .log(let log) = found, let record = log.live else { return }
    do throws(FilePackageError) {
      try withPackageLock { _ in }
    } catch {
      switch error.code {
      // A damaged log stays as it is (W6).
      case .logDamaged: state.damage(by: error.during(.open))
      case .busy, .changedOnDisk: throw error.during(.open)
      // Without space or permission the tree comes from the log (W5).
      default: try present(record, of: log, because: error)
      }
    }
  }

  /// Makes the tree from the disk and the log together.
  private func present(
    _ record: SaveRecord, of log: SaveLog, because problem: FilePackageError
  ) throws(FilePackageError) {
    session = nil
    let outstanding: [Publisher.Outstanding]
    do {
      outstanding = try log.outstanding(record, at: location)
      try tree.overlay(outstanding, at: location)
    } catch let error as FilePackageError {
      if error.code == .logDamaged { return state.damage(by: error.during(.open)) }
      throw error.during(.open)
    } catch {
      throw problem.during(.open)
    }
    var metadata = baseline.metadata.known
    if let saved = record.metadata,
      outstanding.contains(where: { $0.change.path.names == [PackageLayout.metadata] })
    {
      metadata = saved
      baseline.metadata = .present(saved, nil)
    }
    let save = CommittedSave(tree: tree, snapshot: tree.changesSnapshot(), metadata: metadata)
    state = .waiting(save, because: problem)
  }

  /// Reads the package anew, with the changes of other programs: see `PackageStore.reload(_:)`.
  package func reload<Result>(_ body: (FileWrapper) throws -> Result) throws -> Result {
    let now = try StoredNode.look(at: location.path, following: false, on: location.disk)
    guard let found = now.status, found.kind == .directory else {
      throw FilePackageError(.notAPackage, .open, document: FileName(location.path).string)
    }
    if found.identity.isSameNode(as: baseline.status.identity) {
      try publish()
    } else {
      // The waiting save went with the directory that stood here before.
      dropSession()
      if state.waiting != nil { state = state.damage.map { .damaged($0, over: nil) } ?? .clean }
    }
    let before = (tree, baseline, state)
    (baseline, state) = (StoreBaseline(found), .clean)
    tree = package.newTree()
    do {
      try recover()
      return try body(tree)
    } catch {
      (tree, baseline, state) = before
      throw error
    }
  }

  /// Prevents other programs from publishing while the caller holds the returned lock.
  ///
  /// If the file system has no locks, it prevents nothing.
  ///
  /// - Returns: nil if another program published since this writer opened the package.
  package func lockForReading() throws(FilePackageError) -> OpenNode? {
    do {
      let package = try location.openDirectory(.root)
      _ = try wait.take(.shared, of: package, on: location.disk)
      guard try location.disk.status(of: package).identity.isSameNode(as: baseline.status.identity)
      else {
        return nil
      }
      let plist = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: package)
      if case .present(_, let known?) = baseline.metadata,
        plist.map({ !$0.isUnchanged(since: known) }) ?? true
      {
        return nil
      }
      // This writer's own view of a save that cannot be published is as whole as any.
      if state.waiting == nil && state.damage == nil, try SaveLog.find(of: location).log?.live != nil {
        return nil
      }
      return OpenNode(package)
    } catch {
      if error.code == .wouldBlock { throw FilePackageError(.busy, .open, node) }
      throw FilePackageError(error, .open, node)
    }
  }
}
