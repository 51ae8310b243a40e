/// The ways to save a package.
public struct SavingOptions: OptionSet, Sendable {
  /// The bits.
  public let rawValue: Int
  /// Makes a set of these bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Also replaces and removes children that have no write permission. By default that is an error, since the renames
  /// of a save would ignore the permission.
  public static let overwritesReadOnly = SavingOptions(rawValue: 1)
  /// Returns as soon as the save is durable. The store publishes it next, and before any other save; `publish()` waits
  /// for that.
  public static let returnsAtCommit = SavingOptions(rawValue: 2)
  /// Keeps the version that the save replaces, and starts a history: from then on every program's saves keep theirs.
  ///
  /// Costs a rename for each child that a save replaces or removes, instead of an unlink. Packages without metadata
  /// have no history. A save begins no history in a document whose history `PackageStore.stopKeepingHistory(dryRun:)`
  /// ended.
  public static let keepsHistory = SavingOptions(rawValue: 16)
  /// Ends the save with `cancelled` and without any effect if the task is cancelled before the commit. After the commit
  /// the save completes. By default every save completes.
  public static let cancellable = SavingOptions(rawValue: 64)
}
