import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension StagedSave {
  /// The way in which the new state came to its place.
  enum Placement {
    /// Nothing was there before.
    case new
    /// The old state has the hidden name.
    case swapped
    /// A file took the place of a file, which is gone.
    case replaced
  }

  /// Puts the new state under the package's name, in one step if the file system has one.
  func putInPlace(_ place: StagingLocation) throws(FilePackageError) -> Placement {
    let activity = "moving the new state to its place"
    let isNew = try attempt(.root, activity) { () throws(SystemError) in
      switch destination {
      case .absent: true
      case .file, .anything: try place.status() == nil
      case .unchanged: false
      }
    }
    var placement = isNew ? Placement.new : .swapped
    if !isNew {
      if case .file = destination { try refuseDirectory(at: place) }
      // If an exchange were durable before the new state's name, a power cut would leave the package without
      // any name (SP2).
      try synchronize(place)
    }
    do throws(SystemError) {
      if isNew { try place.take() } else { try exchange(place, &placement) }
    } catch {
      if !isNew && error.isLackOfRule {
        throw failure(
          .unsupported, .root, reason: "this file system cannot exchange folders; remove the old one first")
      }
      try requireInPlace(place, after: error, activity)
    }
    return placement
  }

  /// Returns if the new state is in its place in spite of an error; otherwise throws.
  ///
  /// Some errors are of the answer only, such as a server's that is lost.
  private func requireInPlace(
    _ place: StagingLocation, after error: SystemError, _ activity: String
  ) throws(FilePackageError) {
    let now: FileStatus?
    do {
      now = try place.status()
    } catch let second {
      throw FilePackageError(
        .indeterminate, options.operation, node(.root), activity: activity,
        reason: "\(error.reason), and then \(second.reason)")
    }
    if let made, now?.identity.isSameNode(as: made.identity) == true { return }
    throw FilePackageError(error, options.operation, node(.root), activity: activity)
  }

  private func exchange(_ place: StagingLocation, _ placement: inout Placement) throws(SystemError) {
    do {
      try place.rename(place.staged, to: place.name, .exchange)
    } catch  where error.isLackOfRule {
      let kinds = (
        try disk.status(of: place.staged, in: place.folder).kind,
        try disk.status(of: place.name, in: place.folder).kind
      )
      guard kinds.0 != .directory && kinds.1 != .directory else { throw error }
      placement = .replaced
      try place.rename(place.staged, to: place.name, .replace)
    }
  }

  /// Makes sure that the exchange was right (SP4) and is durable (SP3); otherwise takes it back.
  func confirm(
    _ placement: Placement, at place: StagingLocation,
    _ verify: (borrowing StagedSave) throws(FilePackageError) -> Void
  ) throws(FilePackageError) {
    do {
      try verify(self)
      try synchronize(place)
    } catch {
      do throws(SystemError) {
        try takeBack(placement, at: place)
        // Only after this sync may the new state be removed: a power cut can no longer bring it back half removed.
        try place.synchronize()
      } catch let second {
        throw FilePackageError(
          .indeterminate, options.operation, node(.root), activity: error.activity,
          reason: "\(error.reason ?? error.code.words), and then \(second.reason)")
      }
      throw error
    }
  }

  private func takeBack(_ placement: Placement, at place: StagingLocation) throws(SystemError) {
    let (name, staged) = (place.name, place.staged)
    switch placement {
    case .new: try place.rename(name, to: staged, .replace)
    case .swapped: try place.rename(staged, to: name, .exchange)
    case .replaced: throw SystemError("renameat2", name, code: .noSuchFileOrDirectory)
    }
  }

  /// Refuses to put a file in the place of a directory.
  func refuseDirectory(at place: StagingLocation) throws(FilePackageError) {
    if try status(at: place)?.kind == .directory {
      throw failure(.fileExists, .root, reason: "a folder with that name exists already")
    }
  }

  /// Returns the status of the node in the place; nil if there is none.
  func status(at place: StagingLocation) throws(FilePackageError) -> FileStatus? {
    try attempt(.root, "checking the destination") { () throws(SystemError) in try place.status() }
  }
}
