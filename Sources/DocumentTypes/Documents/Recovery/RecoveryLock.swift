import DurableIO

/// One document's hold on a recovery copy.
///
/// While it lives, no other document in any process is offered the copy. It ends with the process.
final class RecoveryLock: Sendable {
  private let folder: OwnedDescriptor

  private init(_ folder: consuming OwnedDescriptor) { self.folder = folder }

  /// Locks the copy's folder; nil if another document holds it. If the file system has no locks, every document gets
  /// one.
  static func take(_ name: FileName, in store: borrowing OwnedDescriptor, on disk: any Disk) -> RecoveryLock?
  {
    // A folder that cannot be opened is being removed.
    guard let folder = try? disk.openDirectory(name, in: store), (try? disk.lock(folder, .exclusive)) ?? true
    else { return nil }
    return RecoveryLock(folder)
  }
}
