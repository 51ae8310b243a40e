import DurableIO
import SystemPackage

extension StagedPackage {
  /// The way in which the new state came to its place.
  enum Placement {
    /// Nothing was there before.
    case new
    /// The old state has this name.
    case swapped(gone: FileName)
    /// A file took the place of a file, which is gone.
    case replaced
  }

  /// Puts the new state under the package's name, in one step if the file system has one.
  func putInPlace(
    _ name: FileName, _ siblings: HiddenSiblings, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> Placement {
    let staged = siblings.name(.staged)
    let activity = "putting the new state in its place"
    let isNew = try attempt(.root, activity) { () throws(SystemError) in
      switch destination {
      case .absent: true
      case .file, .anything: try !disk.exists(name, in: folder)
      case .base, .unchanged: false
      }
    }
    var placement = isNew ? Placement.new : .swapped(gone: staged)
    if !isNew {
      if case .file = destination { try refuseDirectory(name, in: folder) }
      // If an exchange were durable before the new state's name, a power cut would leave the package without any name.
      try synchronize(folder)
    }
    do throws(SystemError) {
      if isNew {
        try place(staged, as: name, in: folder)
      } else {
        try exchange(staged, name, siblings.name(.previous), in: folder, &placement)
      }
    } catch {
      try requireInPlace(name, in: folder, after: error, activity)
    }
    return placement
  }

  /// Returns if the new state is in its place in spite of an error; otherwise throws.
  ///
  /// Some errors are of the answer only, such as a server's that is lost.
  private func requireInPlace(
    _ name: FileName, in folder: borrowing OwnedDescriptor, after error: SystemError, _ activity: String
  ) throws(FilePackageError) {
    let now: FileStatus?
    do {
      now = try disk.statusIfPresent(of: name, in: folder)
    } catch let second {
      throw FilePackageError(
        .indeterminate, options.operation, node(.root), activity: activity,
        reason: "\(error.reason), and then \(second.reason)")
    }
    if let made, now?.identity.isSameNode(as: made.identity) == true { return }
    throw FilePackageError(error, options.operation, node(.root), activity: activity)
  }

  private func place(
    _ staged: FileName, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) {
    do {
      try disk.rename(staged, in: folder, to: name, in: folder, .noReplace)
    } catch  where error.isLackOfRule {
      if try disk.exists(name, in: folder) { throw SystemError("renameat", name, code: .fileExists) }
      try disk.rename(staged, in: folder, to: name, in: folder, .replace)
    }
  }

  private func exchange(
    _ staged: FileName, _ name: FileName, _ previous: FileName, in folder: borrowing OwnedDescriptor,
    _ placement: inout Placement
  ) throws(SystemError) {
    do {
      try disk.rename(staged, in: folder, to: name, in: folder, .exchange)
    } catch  where error.isLackOfRule {
      let kinds = (
        try disk.status(of: staged, in: folder).kind, try disk.status(of: name, in: folder).kind
      )
      if kinds.0 != .directory && kinds.1 != .directory {
        placement = .replaced
        try disk.rename(staged, in: folder, to: name, in: folder, .replace)
      } else {
        placement = .swapped(gone: previous)
        try exchangeByTwoRenames(staged, name, previous, in: folder)
      }
    }
  }

  /// Replaces an exchange on a file system that has none.
  ///
  /// For an instant the package has only its hidden name, from which the next opening or saving puts it back.
  private func exchangeByTwoRenames(
    _ staged: FileName, _ name: FileName, _ previous: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) {
    do {
      try disk.rename(name, in: folder, to: previous, in: folder, .replace)
      try disk.rename(staged, in: folder, to: name, in: folder, .replace)
    } catch {
      // The way back. It fails if the new state is there after all; opening the package tries it, too.
      try? disk.rename(previous, in: folder, to: name, in: folder, .replace)
      throw error
    }
  }

  /// Makes sure that the exchange was right and is durable; otherwise takes it back.
  func confirm(
    _ name: FileName, _ placement: Placement, _ siblings: HiddenSiblings,
    in folder: borrowing OwnedDescriptor,
    _ verify: (borrowing StagedPackage) throws(FilePackageError) -> Void
  ) throws(FilePackageError) {
    do {
      try verify(self)
      try synchronize(folder)
    } catch {
      do {
        try takeBack(name, placement, siblings.name(.staged), in: folder)
        // Only after this sync may the new state be removed: a power cut can no longer bring it back half removed.
        try disk.synchronize(folder)
      } catch let second {
        throw FilePackageError(
          .indeterminate, options.operation, node(.root), activity: error.activity,
          reason: "\(error.reason ?? error.code.words), and then \(second.reason)")
      }
      throw error
    }
  }

  private func takeBack(
    _ name: FileName, _ placement: Placement, _ staged: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) {
    switch placement {
    case .new:
      try disk.rename(name, in: folder, to: staged, in: folder, .replace)
    case .swapped(gone: staged):
      try disk.rename(staged, in: folder, to: name, in: folder, .exchange)
    case .swapped(let gone):
      try disk.rename(name, in: folder, to: staged, in: folder, .replace)
      try disk.rename(gone, in: folder, to: name, in: folder, .replace)
    case .replaced:
      throw SystemError("renameat2", name, code: .noSuchFileOrDirectory)
    }
  }

  /// Refuses to put a file in the place of a directory.
  func refuseDirectory(
    _ name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    let kind = try attempt(.root, "looking at what is there") { () throws(SystemError) in
      try disk.statusIfPresent(of: name, in: folder)?.kind
    }
    if kind == .directory {
      throw failure(.fileExists, .root, reason: "there is a folder of that name already")
    }
  }
}
