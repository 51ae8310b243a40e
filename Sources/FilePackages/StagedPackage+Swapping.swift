import DurableIO
import SystemPackage

extension StagedPackage {
  /// Refuses before anything is made what could not be put into place at the end.
  func checkPlace(_ name: FileName, in folder: borrowing OwnedDescriptor) throws(FilePackageError) {
    try attempt(.root) { () throws(SystemError) in
      guard try exists(name, in: folder) else { return }
      switch destination {
      case .anything, .base: return
      case .file: if try disk.status(of: name, in: folder).kind != .directory { return }
      case .absent: break
      }
      throw SystemError("renameat2", name, code: .fileExists)
    }
  }

  /// Puts the new state under the package's name, in one step where the file system has one.
  ///
  /// Returns the name under which what was there before is now: nothing, where there was nothing.
  func putInPlace(
    _ name: FileName, _ siblings: Siblings, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) -> FileName {
    let staged = siblings.name(.staged)
    return try attempt(.root, "putting it in its place") { () throws(SystemError) in
      let isNew =
        switch destination {
        case .absent: true
        case .file, .anything: try !exists(name, in: folder)
        case .base: false
        }
      if isNew {
        try place(staged, as: name, in: folder)
        return staged
      }
      if case .file = destination, try disk.status(of: name, in: folder).kind == .directory {
        throw SystemError("renameat2", name, code: .fileExists)
      }
      return try exchange(staged, name, siblings.name(.previous), in: folder)
    }
  }

  private func place(
    _ staged: FileName, as name: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) {
    do {
      try disk.rename(staged, in: folder, to: name, in: folder, .keep)
    } catch  where error.isLackOfRule {
      if try exists(name, in: folder) { throw SystemError("renameat", name, code: .fileExists) }
      try disk.rename(staged, in: folder, to: name, in: folder, .replace)
    }
  }

  private func exchange(
    _ staged: FileName, _ name: FileName, _ previous: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> FileName {
    do {
      try disk.rename(staged, in: folder, to: name, in: folder, .exchange)
      return staged
    } catch  where error.isLackOfRule {
      return try exchangeByTwoRenames(staged, name, previous, in: folder)
    }
  }

  /// Where there is no exchange: for an instant the package has only its hidden name, from which the next
  /// opening or saving puts it back.
  private func exchangeByTwoRenames(
    _ staged: FileName, _ name: FileName, _ previous: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) -> FileName {
    try disk.rename(name, in: folder, to: previous, in: folder, .replace)
    do {
      try disk.synchronize(folder)
      try disk.rename(staged, in: folder, to: name, in: folder, .replace)
    } catch {
      // The way back; if it fails too, opening the package takes it.
      try? disk.rename(previous, in: folder, to: name, in: folder, .replace)
      try? disk.synchronize(folder)
      throw error
    }
    return previous
  }

  /// Makes sure that the exchange was right and lasts; otherwise takes it back.
  func confirm(
    _ name: FileName, _ gone: FileName, in folder: borrowing OwnedDescriptor,
    _ verify: (borrowing StagedPackage) throws(FilePackageError) -> Void
  ) throws(FilePackageError) {
    do {
      try verify(self)
      try synchronize(folder)
    } catch {
      do {
        try takeBack(name, gone, in: folder)
        // Only now may the new state be removed: a power cut can no longer bring it back half removed.
        try disk.synchronize(folder)
      } catch let second {
        throw FilePackageError(
          .indeterminate, options.operation, node(.root),
          reason: "\(error.reason ?? error.code.words), and then \(second)")
      }
      throw error
    }
  }

  private func takeBack(
    _ name: FileName, _ gone: FileName, in folder: borrowing OwnedDescriptor
  ) throws(SystemError) {
    let staged = Siblings(of: name, on: disk).name(.staged)
    if try !exists(gone, in: folder) {
      try disk.rename(name, in: folder, to: staged, in: folder, .replace)
    } else if gone == staged {
      try disk.rename(staged, in: folder, to: name, in: folder, .exchange)
    } else {
      try disk.rename(name, in: folder, to: staged, in: folder, .replace)
      try disk.rename(gone, in: folder, to: name, in: folder, .replace)
    }
  }

  private func exists(_ name: FileName, in folder: borrowing OwnedDescriptor) throws(SystemError) -> Bool {
    do {
      _ = try disk.status(of: name, in: folder)
      return true
    } catch  where error.code == .noSuchFileOrDirectory {
      return false
    }
  }
}

extension SystemError {
  /// Whether the file system does not know exchanging, or renaming without replacing.
  fileprivate var isLackOfRule: Bool {
    code == .invalidArgument || code == .notSupported || code == .noFunction
  }
}
