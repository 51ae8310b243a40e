import DurableIO

/// The state of the disk from which a store's tree tells its changes.
struct StoreBaseline {
  /// The metadata of the package.
  enum Metadata {
    /// Another program's package, which gets no metadata.
    case none
    case present(PackageMetadata, FileStatus?)
    case unreadable(FilePackageError)
  }

  /// The package's own directory.
  var status: FileStatus
  var metadata = Metadata.none
  /// Whether another program changed the application's values in the metadata since this store read them.
  var othersWroteValues = false
  /// The trees whose statuses are from before a failed save, which linked and unlinked their files.
  var stale: [FileWrapper] = []

  init(_ status: FileStatus) { self.status = status }
}
