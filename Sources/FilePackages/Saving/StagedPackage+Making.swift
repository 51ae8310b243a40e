import DurableIO
import SystemPackage

extension StagedPackage {
  /// Makes a document that is one file or one link.
  mutating func makeAlone(
    _ step: SavePlan.Step, _ name: FileName, _ siblings: Siblings, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Placement {
    let staged = siblings.name(.staged)
    var file: OwnedDescriptor?
    switch step.action {
    case .write(let contents):
      let new = try createAlone(staged, siblings, in: folder, mode: step.attributes.mode)
      do {
        try keepAttributes(of: name, in: folder, on: new)
        try maker.write(contents, to: new, step)
      } catch {
        _ = siblings.remove(staged, from: folder)
        throw error
      }
      file = consume new
    case .link(let node): try maker.makeLink(node, as: staged, in: folder, step)
    default: throw failure(.wrongKind, step.path)
    }
    do {
      let placement = try putInPlace(name, siblings, in: folder)
      try confirm(name, placement, siblings, in: folder) {
        (staged: borrowing StagedPackage)
          throws(FilePackageError) in
        try staged.checkReplaced(placement, in: folder)
      }
      // Its lock is held until here.
      _ = consume file
      return placement
    } catch {
      if error.code != .indeterminate { _ = siblings.remove(staged, from: folder) }
      throw error
    }
  }

  private func createAlone(
    _ staged: FileName, _ siblings: Siblings, in folder: borrowing OwnedDescriptor, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    let disk = disk
    let new = try attemptMaking { () throws(SystemError) in
      try disk.createFile(staged, in: folder, mode: mode)
    }
    do throws(FilePackageError) {
      guard try holds(new, as: staged, siblings, in: folder) else { throw isBusy }
    } catch {
      // It is empty; if it is somebody else's by now, theirs fails and nothing is lost.
      if error.code != .changedOnDisk { try? disk.removeFile(staged, in: folder) }
      throw error
    }
    return new
  }

  func openOld(
    _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> OwnedDescriptor {
    do {
      return try disk.openDirectory(name, in: folder)
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory:
        throw failure(.changedOnDisk, .root, reason: "it is no longer in its place")
      case .notDirectory, .tooManySymbolicLinkLevels:
        throw failure(.changedOnDisk, .root, reason: "something else stands in its place by now")
      default: throw FilePackageError(error, options.operation, node(.root), activity: "opening it")
      }
    }
  }

  /// Makes the directory of the new state, which nobody else makes or removes while this has its lock.
  func makeRoot(
    _ siblings: Siblings, in folder: borrowing OwnedDescriptor, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    let name = siblings.name(.staged)
    let disk = disk
    try attemptMaking { () throws(SystemError) in try disk.makeDirectory(name, in: folder, mode: mode) }
    do throws(FilePackageError) {
      let new = try attemptMaking { () throws(SystemError) in try disk.openDirectory(name, in: folder) }
      guard try holds(new, as: name, siblings, in: folder) else { throw isBusy }
      return new
    } catch {
      // It is empty; if it is somebody else's by now, theirs fails and nothing is lost.
      if error.code != .changedOnDisk { try? disk.removeDirectory(name, in: folder) }
      throw error
    }
  }

  private func attemptMaking<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(FilePackageError) -> Result {
    do {
      return try body()
    } catch {
      if error.code == .fileExists { throw isBusy }
      throw FilePackageError(
        error, options.operation, node(.root), activity: "making the new state beside it")
    }
  }

  /// Takes the lock of what was just made; false when somebody else has it, or has it removed by now.
  private func holds(
    _ new: borrowing OwnedDescriptor, as name: FileName, _ siblings: Siblings,
    in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Bool {
    guard siblings.isLockedForUs(new) else { return false }
    do {
      return try disk.isName(name, in: folder, of: new)
    } catch {
      throw FilePackageError(
        error, options.operation, node(.root), activity: "making the new state beside it")
    }
  }

  func cleanUp(
    _ siblings: Siblings, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    try attempt(.root, "cleaning up beside it") { () throws(SystemError) in try siblings.cleanUp(in: folder) }
  }

  var isBusy: FilePackageError {
    failure(.changedOnDisk, .root, reason: "another program is saving it at this moment")
  }
}
