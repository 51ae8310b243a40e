import DurableIO

/// A recovery copy that somebody has: while this lives, no other document is offered the copy, whatever process it is in.
/// It ends with the process.
final class RecoveryLock: Sendable {
  private let folder: OwnedDescriptor

  private init(_ folder: consuming OwnedDescriptor) { self.folder = folder }

  /// Takes the copy's folder; nil where somebody else has it. Where the file system has no locks, everybody has it.
  static func take(_ name: FileName, in shelf: borrowing OwnedDescriptor, on disk: any Disk) -> RecoveryLock?
  {
    // What cannot be opened is being removed.
    guard let folder = try? disk.openDirectory(name, in: shelf), (try? disk.lock(folder, .exclusive)) ?? true
    else { return nil }
    return RecoveryLock(folder)
  }
}
