import DurableIO

/// A new copy of every child, changed or not. The unchanged bytes come from the old folder, which the system mostly
/// has in memory.
final class FullStrategy: WholeFolder {
  override class var name: String { "full" }

  override class func carry(
    _ name: FileName, from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor,
    on disk: any Disk
  ) throws(SystemError) {
    try disk.synchronize(disk.makeFile(name, disk.contents(of: name, in: old), in: new))
  }
}
