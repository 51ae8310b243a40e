import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

// The steps of publishing: files and links get and lose their visible names, folders are made and removed.
extension Publisher {
  mutating func put(
    _ change: Change, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    guard let name = change.path.name else { return }
    let verdict: PublishVerdict
    do {
      verdict = try self.verdict(change, at: name, in: folder)
    } catch {
      return try refuse(error, change, "looking at")
    }
    switch verdict {
    // The step may be taken already (P3), or another program may have written the node (P6).
    case .done, .leave: return try checkExchanged(change, isPublished: true)
    case .setAside:
      // Another program edited it before it was published, and again after that.
      try checkExchanged(change, isPublished: true)
      return try moveOursToConflicts(change)
    case .place, .exchange: try checkExchanged(change, isPublished: false)
    }
    var change = change
    let source = try prepare(&change)
    do {
      if verdict == .place {
        try place(source, as: name, in: folder, change)
      } else {
        try exchange(source, name, in: folder, change)
      }
    } catch {
      return try refuse(error, change, "publishing", staged: source)
    }
    try moveToConflictsIfTheirs(source, change)
    if hasSetAside { try moveToConflictsIfTheirs(source.movedAway, change) }
  }

  /// Gives a staged file a name that is free; if another program took it meanwhile, the two change places.
  mutating func place(
    _ source: FileName, as name: FileName, in folder: borrowing OwnedDescriptor, _ change: Change
  ) throws(SystemError) {
    do {
      try disk.rename(source, in: staging.descriptor, to: name, in: folder, .noReplace)
    } catch {
      if error.code == .fileExists { return try exchange(source, name, in: folder, change) }
      guard error.isLackOfRule else { throw error }
      if try disk.exists(name, in: folder) { return try exchange(source, name, in: folder, change) }
      try disk.rename(source, in: staging.descriptor, to: name, in: folder, .replace)
    }
  }

  mutating func exchange(
    _ source: FileName, _ name: FileName, in folder: borrowing OwnedDescriptor, _ change: Change
  ) throws(SystemError) {
    do {
      try disk.rename(source, in: staging.descriptor, to: name, in: folder, .exchange)
    } catch {
      // The node that it replaces has just gone, and another program may already make one of that name.
      if error.code == .noSuchFileOrDirectory { return try place(source, as: name, in: folder, change) }
      guard error.isLackOfRule else { throw error }
      let isOld = try isOld(change, disk.status(of: name, in: folder), name, in: folder)
      if record.keepsVersion {
        try setAside(name, in: folder, as: source.movedAway, !isOld)
        try disk.rename(source, in: staging.descriptor, to: name, in: folder, .replace)
      } else if !isOld {
        // Another program's content must not go.
        disk.removeEverything(source.movedAway, from: staging.descriptor)
        try disk.rename(name, in: folder, to: source.movedAway, in: staging.descriptor, .replace)
        try disk.rename(source, in: staging.descriptor, to: name, in: folder, .replace)
        try disk.rename(
          source.movedAway, in: staging.descriptor, to: source, in: staging.descriptor, .replace)
      } else {
        try disk.rename(source, in: staging.descriptor, to: name, in: folder, .replace)
      }
    }
  }

  /// Gives a node that will be replaced a durable name among the staged files, if the file system cannot exchange (P7).
  ///
  /// A file then has two names for a while. Without hard links, the version has lost it.
  private mutating func setAside(
    _ name: FileName, in folder: borrowing OwnedDescriptor, as kept: FileName, _ mustMove: Bool
  ) throws(SystemError) {
    disk.removeEverything(kept, from: staging.descriptor)
    hasSetAside = true
    // The nodes that were put into the folder before also lose their names in the staging folder for good.
    try disk.synchronize(folder)
    if mustMove {
      try disk.rename(name, in: folder, to: kept, in: staging.descriptor, .replace)
    } else if (try? disk.link(name, in: folder, to: kept, in: staging.descriptor)) == nil {
      return
    }
    try synchronizeStaging()
  }

  /// Makes the names durable that nodes of a version have among the staged files (P7).
  func synchronizeKept() throws(FilePackageError) {
    try attempt(.root, "syncing the earlier version of") { try synchronizeStaging() }
  }

  private func synchronizeStaging() throws(SystemError) {
    if let versions { try disk.synchronize(versions.descriptor) }
    try disk.synchronize(staging.descriptor)
  }

  mutating func remove(
    _ change: Change, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    guard let name = change.path.name else { return }
    let staged = change.name
    do {
      if let target = try disk.statusIfPresent(of: name, in: folder) {
        if try isOld(change, target, name, in: folder) {
          if try isSecondName(target, of: staged) {
            // A rename from one name to the other would do nothing.
            try disk.removeFile(name, in: folder)
            return
          }
          try disk.rename(name, in: folder, to: staged, in: staging.descriptor, .replace)
        } else if try !disk.exists(staged, in: staging.descriptor) {
          // Another program wrote it after the save was made (P6). If the old node is gone already, that is no conflict.
          conflicts.insert(change.path.string)
        }
      }
      // An earlier attempt may have removed the old node (P3). Any other node is a later edit (P2).
      guard let gone = try disk.statusIfPresent(of: staged, in: staging.descriptor) else { return }
      if try isOld(change, gone, staged, in: staging.descriptor) { return }
    } catch {
      return try refuse(error, change, "removing")
    }
    try moveToConflicts(staged, of: change.path)
  }

  /// Returns whether a cut has left both names of a node that was being renamed.
  private func isSecondName(_ target: FileStatus, of staged: FileName) throws(SystemError) -> Bool {
    guard isRecovery, target.kind != .directory else { return false }
    let other = try disk.statusIfPresent(of: staged, in: staging.descriptor)
    return other?.identity.isSameNode(as: target.identity) == true
  }

  // MARK: Folders

  /// Makes a folder, unless there is one.
  ///
  /// If another program put a file there, that stays: what belongs in the folder becomes conflict versions.
  mutating func makeFolder(
    _ change: Change, in folder: borrowing OwnedDescriptor
  ) throws(FilePackageError) {
    guard let name = change.path.name, let new = change.new else { return }
    do {
      // The mode must allow filling the folder, whatever mode it gets afterwards.
      try disk.makeDirectory(name, in: folder, mode: new.mode & 0o777 | 0o700)
    } catch  where error.code == .fileExists {
      return
    } catch {
      try refuse(error, change, "making the folder")
    }
  }

  /// Removes a folder if it is empty: what another program put into it keeps it.
  ///
  /// - Returns: whether it is gone.
  mutating func removeFolder(_ change: Change) throws(FilePackageError) -> Bool {
    do {
      guard let name = change.path.name, let parent = try open(change.path.parent) else { return true }
      try disk.removeDirectory(name, in: parent.descriptor)
      return true
    } catch {
      switch error.code {
      case .noSuchFileOrDirectory, .notDirectory: return true
      case .directoryNotEmpty, .fileExists:
        if let kept = refused.first(where: { $0.key.isWithin(change.path) }) {
          refused[change.path] = kept.value
        } else {
          conflicts.insert(change.path.string)
        }
      default: try refuse(error, change, "removing")
      }
      return false
    }
  }

  mutating func setAttributes(_ change: Change) throws(FilePackageError) {
    do {
      guard let new = change.new, let folder = try open(change.path) else { return }
      if change.modeIsExact { try disk.setMode(new.mode, of: folder.descriptor) }
      if change.hasDate { try disk.setModified(new.modified, of: folder.descriptor) }
      try disk.synchronize(folder.descriptor)
    } catch {
      try refuse(error, change, "setting the attributes of the folder")
    }
  }
}
