import DurableIO
import FoundationEssentials

/// The state of the disk from which a store's tree tells its changes.
struct StoreBaseline {
  /// The metadata of the package.
  enum Metadata {
    /// Another program's package, which gets no metadata.
    case none
    case present(PackageMetadata, FileStatus?)
    case unreadable(FilePackageError)

    /// The metadata; nil if there is none, or if it cannot be read.
    var known: PackageMetadata? { if case .present(let metadata, _) = self { metadata } else { nil } }

    /// `Metadata.plist` as it was when it was last read or written.
    var status: FileStatus? { if case .present(_, let status) = self { status } else { nil } }

    /// Returns the metadata; nil for another program's package.
    ///
    /// - Throws: `metadataDamaged` or `newerFormat` if this library cannot read it.
    func get() throws(FilePackageError) -> PackageMetadata? {
      if case .unreadable(let error) = self { throw error }
      return known
    }
  }

  /// The package's own directory.
  var status: FileStatus
  var metadata = Metadata.none
  /// Whether another program changed the application's values in the metadata since this store read them.
  var othersWroteValues = false
  /// The trees whose statuses are from before a failed save, which linked and unlinked their files.
  var stale: [FileWrapper] = []

  init(_ status: FileStatus) { self.status = status }

  /// Returns whether the package at `location` is the one that this store opened or last saved.
  func isPackage(at location: Location) -> Bool {
    // A package that cannot be looked at is not known.
    guard let directory = try? location.openDirectory(.root),
      let now = try? location.disk.status(of: directory)
    else { return false }
    return now.identity.isSameNode(as: status.identity) && now.born == status.born
  }

  // MARK: Reading the metadata

  mutating func loadMetadata(at location: Location) {
    var plist = StoredNode(location: location, path: PackagePath([PackageLayout.metadata]))
    do {
      let status: FileStatus?
      do {
        let directory = try location.openDirectory(.root)
        status = try location.disk.statusIfPresent(of: PackageLayout.metadata, in: directory)
      } catch {
        throw FilePackageError(error, .open, plist)
      }
      guard let status else { return metadata = .none }
      guard status.kind == .file else {
        throw Self.damage(at: location, reason: "its 'Metadata.plist' is \(status.kind.words)")
      }
      plist.status = status
      do {
        if status.size > UInt64(PackageMetadata.maximumSize) { throw PackageMetadata.Problem.tooLarge }
        metadata = .present(
          try PackageMetadata(decoding: FileContents.stored(plist).data()), status)
      } catch let problem as PackageMetadata.Problem {
        throw Self.damage(problem.code, at: location, reason: problem.words)
      }
    } catch {
      metadata = .unreadable((error as? FilePackageError)?.during(.open) ?? Self.damage(at: location))
    }
  }

  private static func damage(
    _ code: FilePackageError.Code = .metadataDamaged, at location: Location, reason: String? = nil
  ) -> FilePackageError {
    FilePackageError(code, .open, document: FileName(location.path).string, reason: reason)
  }

  /// Reads the metadata again if another program wrote it.
  mutating func reloadMetadata(
    in root: OpenNode, on disk: any Disk, at location: Location
  ) throws(FilePackageError) {
    let now: FileStatus?
    do {
      now = try disk.statusIfPresent(of: PackageLayout.metadata, in: root.descriptor)
    } catch {
      throw FilePackageError(error, .save, StoredNode(location: location, path: .root))
    }
    if case .present(_, let known?) = metadata, let now, now.isUnchanged(since: known) { return }
    if case .none = metadata, now == nil { return }
    let before = metadata.known
    loadMetadata(at: location)
    if let before, before.applicationValues != metadata.known?.applicationValues {
      othersWroteValues = true
    }
  }
}
