import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat
import SystemPackage

extension PackageWriter {
  /// Publishes the save of an interrupted program, and loads the metadata. Without such a save it only reads (W4).
  package func recover() throws(FilePackageError) {
    let found: SaveLog.Found
    do {
      found = try SaveLog.isClean(at: location) ? .nothing : SaveLog.find(of: location)
    } catch {
      throw FilePackageError(
        error, .open, node, activity: "looking for its log")
    }
    switch found {
    case .nothing:
      loadMetadata()
    case .damaged(let reason, _):
      state.damage(
        by: FilePackageError(
          .logDamaged, .open, node,
          reason: "its log is damaged: \(reason)"))
      loadMetadata()
    case .log(let log):
      loadMetadata()
      if let record = log.live { try recover(record, of: log) }
    }
  }

  private func loadMetadata() {
    baseline.loadMetadata(at: location)
    if baseline.metadata.isChild { tree.metadataRole = .child }
  }

  private func recover(_ record: SaveRecord, of log: SaveLog) throws(FilePackageError) {
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
    } catch {
      if let error = error as? FilePackageError, error.code == .logDamaged {
        return state.damage(by: error.during(.open))
      }
      throw problem.during(.open)
    }
    do {
      try tree.overlay(outstanding, at: location)
    } catch {
      throw error as? FilePackageError ?? problem.during(.open)
    }
    var metadata = baseline.metadata.known
    if let saved = record.metadata,
      outstanding.contains(where: { $0.change.path.names == [PackageLayout.metadata] })
    {
      metadata = saved
      baseline.metadata = .present(saved, nil)
    }
    state = .blocked(CommittedSave(tree, tree.changesSnapshot(), metadata), because: problem)
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
      state.forgetWaiting()
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
}
