import DurableIO
import SystemPackage

extension StagedPackage {
  /// Makes a document that is one file or one link.
  mutating func makeAlone(
    _ step: SavePlan.Step, _ name: FileName, _ siblings: HiddenSiblings, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Placement {
    let staged = siblings.name(.staged)
    var file: OwnedDescriptor?
    switch step.action {
    case .write(let contents):
      let new = try createAlone(siblings, in: folder, mode: step.attributes.mode)
      do {
        try keepAttributes(of: name, in: folder, on: new)
        try builder.write(contents, to: new, step)
        try builder.synchronizeAlone(new)
        made = try status(of: new)
      } catch {
        _ = siblings.remove(staged, from: folder)
        throw error
      }
      file = consume new
    case .link(let node): try builder.makeLink(node, as: staged, in: folder, step)
    default: throw failure(.wrongKind, step.path)
    }
    do {
      // The file that comes out of an exchange has no lock until it is confirmed.
      siblings.holdOffSweeps(in: folder)
      defer { siblings.allowSweeps(in: folder) }
      let placement = try putInPlace(name, siblings, in: folder)
      try confirm(name, placement, siblings, in: folder) {
        (staged: borrowing StagedPackage)
          throws(FilePackageError) in
        try staged.checkReplaced(placement, in: folder)
      }
      // The new file's lock is held until here.
      _ = consume file
      return placement
    } catch {
      if error.code != .indeterminate { _ = siblings.remove(staged, from: folder) }
      throw error
    }
  }

  private func createAlone(
    _ siblings: HiddenSiblings, in folder: borrowing OwnedDescriptor, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    let new = try attemptMaking { () throws(SystemError) in try siblings.stageFile(in: folder, mode: mode) }
    guard let new else { throw isBusy }
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

  /// Makes the directory of the new state; no other program makes or removes it while this one holds its lock.
  func makeRoot(
    _ siblings: HiddenSiblings, in folder: borrowing OwnedDescriptor, mode: UInt16
  ) throws(FilePackageError) -> OwnedDescriptor {
    let new = try attemptMaking { () throws(SystemError) in
      try siblings.stageDirectory(in: folder, mode: mode)
    }
    guard let new else { throw isBusy }
    return new
  }

  private func attemptMaking<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(FilePackageError) -> Result {
    try attempt(.root, "making the new state beside it", body)
  }

  func cleanUp(
    _ siblings: HiddenSiblings, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    try attempt(.root, "cleaning up beside it") { () throws(SystemError) in try siblings.cleanUp(in: folder) }
  }

  var isBusy: FilePackageError {
    failure(.busy, .root, reason: "another program is saving it at this moment")
  }
}
