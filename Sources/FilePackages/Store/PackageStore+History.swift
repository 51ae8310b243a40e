import DurableIO
import FoundationEssentials

extension PackageStore {
  /// Returns whether each save keeps the version that it replaces.
  public func keepsHistory() throws(FilePackageError) -> Bool { try history() != nil }

  /// Returns the history on disk and in the journal; nil if there is none.
  func history() throws(FilePackageError) -> VersionHistory? {
    guard let known = try metadata() else { return nil }
    return try VersionHistory.load(location, try presentMetadata() ?? known, waiting: state.waiting?.metadata)
  }

  /// Returns the metadata on disk, if another program wrote them since this store read them.
  private func presentMetadata() throws(FilePackageError) -> PackageMetadata? {
    var plist = StoredNode(location: location, path: PackagePath([PackageLayout.metadata]))
    do {
      let root = try location.openDirectory(.root)
      plist.status = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: root)
      guard let status = plist.status, let known = knownPlist, !status.isUnchanged(since: known),
        status.kind == .file, status.size <= UInt64(PackageMetadata.maximumSize)
      else { return nil }
      return try PackageMetadata(decoding: FileContents.stored(plist).data())
    } catch let error as SystemError {
      throw FilePackageError(error, .read, plist)
    } catch let problem as PackageMetadata.Problem {
      throw FilePackageError(problem.code, .read, node, reason: problem.words)
    } catch {
      throw error as? FilePackageError ?? FilePackageError(.inputOutput, .read, plist)
    }
  }

  func find(_ version: UUID) throws(FilePackageError) -> (history: VersionHistory, index: Int) {
    guard let history = try history() else { throw keepsNone }
    guard let index = history.index(of: version) else {
      throw FilePackageError(
        .noSuchVersion, .read, node, reason: "it has no version '\(version.uuidString)'")
    }
    return (history, index)
  }

  var keepsNone: FilePackageError {
    FilePackageError(.noSuchVersion, .read, node, reason: "the document keeps no history")
  }

  /// Returns the bytes of the history file; nil if there is none.
  func historyBytes() throws(FilePackageError) -> [UInt8]? {
    let disk = location.disk
    do {
      let root = try location.openDirectory(.root)
      guard try disk.statusIfPresent(of: PackageLayout.hidden, in: root)?.kind == .directory else {
        return nil
      }
      let folder = try disk.openDirectory(PackageLayout.hidden, in: root)
      guard try disk.statusIfPresent(of: PackageLayout.history, in: folder)?.kind == .file else { return nil }
      return try disk.readAll(
        disk.openFile(PackageLayout.history, in: folder), atMost: HistoryFile.maximumSize)
    } catch {
      throw FilePackageError(error, .save, node, activity: "reading the history of")
    }
  }

  var node: StoredNode { StoredNode(location: location, path: .root) }
}
