import DurableIO
import FilePackages
import SystemPackage

/// The documents of a folder that left its container.
public struct LeaveReport: Sendable, Encodable {
  /// The number of documents that stay in the folder.
  public internal(set) var documents = 0
  /// The names of the documents that only the container has.
  public internal(set) var placeholders: [String] = []
  /// The names of the documents whose last changes the container does not have.
  public internal(set) var notUploaded: [String] = []
}

extension CloudContainer {
  /// Makes the container folder an ordinary folder again. Its documents stay in it, and the store stays as it is.
  ///
  /// The hidden folder loses its name in one step. No operation of this object succeeds afterwards.
  ///
  /// - Parameter force: whether to leave also if a document has changes that the container does not have.
  /// - Throws: `unsavedEdits`, which names such a document; `busy`; the system's reasons. After `unsavedEdits` and
  ///   `busy` the folder is still a container folder.
  public func leave(force: Bool = false) async throws -> LeaveReport {
    try await exclusively(inCopy: true) {
      var report = LeaveReport()
      // On a copy of the state: that of a folder that was copied with hard links is another folder's, too.
      for placed in try await session.planning().placedRecords(notesNew: true).documents {
        guard placed.local != nil else {
          report.placeholders.append(placed.record.name)
          continue
        }
        report.documents += 1
        if placed.isChanged || placed.record.head == nil { report.notUploaded.append(placed.record.name) }
      }
      report.placeholders.sort()
      report.notUploaded.sort()
      if !force, let first = report.notUploaded.first {
        let others = report.notUploaded.count - 1
        throw FilePackageError(
          .unsavedEdits, .move, document: first,
          reason: "the container does not have its last changes"
            + (others > 0 ? ", nor those of \(counted(others, "other document"))" : ""))
      }
      try session.folder.removeHidden()
      return report
    }
  }
}

extension ContainerFolder {
  private static let left: FileName = ".docpkg-cloud-left"

  /// Removes the hidden folder, with the settings, the state and the lock. It loses its name first, in one step.
  func removeHidden() throws(FilePackageError) {
    try path.attempt(.delete) {
      let root = try disk.openDirectory(at: path)
      // The hidden folder of an earlier call that was cut off.
      if try disk.exists(Self.left, in: root) { try removeLeft(from: root) }
      try disk.rename(PackageLayout.containerFolder, in: root, to: Self.left, in: root, .noReplace)
      try disk.synchronize(root)
      try removeLeft(from: root)
    }
  }

  private func removeLeft(from root: borrowing OwnedDescriptor) throws(SystemError) {
    guard disk.removeEverything(Self.left, from: root) else {
      throw SystemError("unlinkat", Self.left, code: .ioError)
    }
  }
}
