package import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat

/// The state of the disk from which a store's tree tells its changes.
package struct StoreBaseline {
  /// The metadata of the package.
  package enum Metadata {
    /// Another program's package, which gets no metadata.
    case none
    case present(PackageMetadata, FileStatus?)
    case unreadable(FilePackageError)
    /// Another program's package, with a `Metadata.plist` that is a child as any other.
    case child(FileStatus)

    /// The metadata; nil if there is none, or if it cannot be read.
    var known: PackageMetadata? { if case .present(let metadata, _) = self { metadata } else { nil } }

    /// `Metadata.plist` as it was when it was last read or written.
    var status: FileStatus? { if case .present(_, let status) = self { status } else { nil } }

    var isChild: Bool { if case .child = self { true } else { false } }

    /// Returns the metadata; nil for another program's package.
    ///
    /// - Throws: `metadataDamaged` or `newerFormat` if this library cannot read it.
    package func get() throws(FilePackageError) -> PackageMetadata? {
      if case .unreadable(let error) = self { throw error }
      return known
    }
  }

  /// The package's own directory.
  package var status: FileStatus
  package var metadata = Metadata.none
  /// The last metadata of this library, if those on disk could not be read since.
  private var readBefore: PackageMetadata?
  /// Whether another program changed the application's values in the metadata since this store read them.
  var othersWroteValues = false
  /// The trees whose statuses are from before a failed save, which linked and unlinked their files.
  var stale: [FileWrapper] = []

  init(_ status: FileStatus) { self.status = status }

  /// Returns whether the package at `location` is the one that this store opened or last saved.
  package func isPackage(at location: Location) -> Bool {
    // A package that cannot be looked at is not known.
    guard let now = try? location.disk.statusOfDirectory(at: location.path) else { return false }
    return now.identity.isSameNode(as: status.identity) && now.born == status.born
  }

  // MARK: Reading the metadata

  /// Reads metadata again that could not be read: another program may have been writing them.
  mutating func retryMetadata(at location: Location) {
    if case .unreadable = metadata { loadMetadata(at: location) }
  }

  /// Reads the metadata, and notes a change of the application's values.
  mutating func loadMetadata(at location: Location) {
    let before = metadata.known ?? readBefore
    readMetadata(at: location, isOurs: before != nil)
    if case .unreadable = metadata {
      readBefore = before
      return
    }
    readBefore = nil
    if let before, before.applicationValues != metadata.known?.applicationValues { othersWroteValues = true }
  }

  /// - Parameter isOurs: whether the package is known to have metadata of this library.
  private mutating func readMetadata(at location: Location, isOurs: Bool) {
    do throws(FilePackageError) {
      metadata = try Self.metadata(at: location, isOurs: isOurs)
    } catch {
      metadata = .unreadable(error.during(.open))
    }
  }

  private static func metadata(at location: Location, isOurs: Bool) throws(FilePackageError) -> Metadata {
    var plist = StoredNode(location: location, path: PackagePath([PackageLayout.metadata]))
    plist.status = try plist.attempt(.open) {
      try location.disk.statusIfPresent(of: PackageLayout.metadata, in: location.openDirectory(.root))
    }
    guard let status = plist.status else { return .none }
    guard status.kind == .file else {
      if !isOurs, try !hasDigests(location) { return .child(status) }
      throw damage(at: location, reason: "its 'Metadata.plist' is \(status.kind.words)")
    }
    if status.size > UInt64(PackageMetadata.maximumSize) {
      throw damage(at: location, reason: PackageMetadata.Problem.tooLarge.words)
    }
    let bytes = try plist.attempt(.open) { try FileContents.stored(plist).data() }
    do throws(PackageMetadata.Problem) {
      return .present(try PackageMetadata(decoding: bytes), status)
    } catch {
      if !isOurs, error.isOfOthers(bytes), try !hasDigests(location) { return .child(status) }
      throw damage(error.code, at: location, reason: error.words)
    }
  }

  /// Returns whether the package has digests of its children: then the metadata are this library's, too.
  private static func hasDigests(_ location: Location) throws(FilePackageError) -> Bool {
    try StoredNode(location: location, path: .root).attempt(.open) {
      do throws(SystemError) {
        return try SaveLog.find(of: location).ledger?.hasState == true
      } catch {
        if error.isAbsence { return false }
        throw error
      }
    }
  }

  private static func damage(
    _ code: FilePackageError.Code = .metadataDamaged, at location: Location, reason: String
  ) -> FilePackageError {
    FilePackageError(code, .open, document: FileName(location.path).string, reason: reason)
  }

  /// Reads the metadata again if another program wrote it.
  ///
  /// - Returns: the status of `Metadata.plist`; nil if there is none.
  mutating func reloadMetadata(
    in root: OpenNode, on disk: any Disk, at location: Location
  ) throws(FilePackageError) -> FileStatus? {
    let now = try StoredNode(location: location, path: .root).attempt(.save) {
      try disk.statusIfPresent(of: PackageLayout.metadata, in: root.descriptor)
    }
    if case .present(_, let known?) = metadata, let now, now.isUnchanged(since: known) { return now }
    if case .none = metadata, now == nil { return nil }
    if case .child(let known) = metadata, let now, now.isUnchanged(since: known) { return now }
    loadMetadata(at: location)
    return metadata.status ?? now
  }
}
