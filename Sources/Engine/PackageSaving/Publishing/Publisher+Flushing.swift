import DurableIO
import FileTrees
import PackageFormat

// The rest of a relaxed publishing.
extension Publisher {
  /// Syncs the files and folders that a relaxed publishing left in memory (P4).
  mutating func flush() throws(FilePackageError) {
    for index in record.operations.indices {
      let operation = record.operations[index]
      guard case .put(let staged) = operation.action, staged.bytes != nil, staged.node.kind == .file else {
        continue
      }
      if !givenUp.contains(index), try flush(staged, operation) { continue }
      // The kernel counts its pages as written although they are not, also when this is tried again.
      givenUp.insert(index)
      try republish(index)
      givenUp.remove(index)
    }
    // A relaxed record that removes something may also put files that it does not hold (P7).
    if record.version != nil, record.operations.contains(where: \.isRemoval) { try synchronizeKept() }
    let folders = Set(record.operations.map(\.folder)).sorted()
    for path in folders {
      try attempt(path, "syncing the folder") { () throws(SystemError) in
        if let folder = try open(path) { try disk.synchronize(folder.descriptor) }
      }
    }
  }

  /// Flushes a file that was published; another program's file in its place stays as it is.
  ///
  /// - Returns: false if the flush failed.
  private func flush(
    _ staged: JournalRecord.Staged, _ operation: JournalRecord.Operation
  ) throws(FilePackageError) -> Bool {
    guard let name = operation.path.name else { return true }
    do {
      guard let folder = try open(operation.path.parent),
        let now = try disk.statusIfPresent(of: name, in: folder.descriptor),
        now.kind == .file, now.identity.inode == staged.node.inode
      else { return true }
      let file = try disk.openFile(name, in: folder.descriptor)
      return (try? disk.synchronize(file)) != nil
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "synchronizing")
    }
  }

  private mutating func republish(_ index: Int) throws(FilePackageError) {
    let operation = record.operations[index]
    guard case .put(let lost) = operation.action, let name = operation.path.name else { return }
    var staged = lost
    let source = try makeAnew(&staged, operation)
    do {
      guard let folder = try open(operation.path.parent) else { return }
      try exchange(source, name, in: folder.descriptor, over: lost.node)
    } catch {
      throw FilePackageError(error, .save, node(operation.path), activity: "publishing")
    }
    try moveToConflictsIfTheirs(source, lost, operation)
    record.operations[index].action = .put(staged)
  }
}

extension JournalRecord.Operation {
  /// The folder that the operation changes.
  fileprivate var folder: PackagePath {
    if case .setAttributes = action { path } else { path.parent }
  }
}
