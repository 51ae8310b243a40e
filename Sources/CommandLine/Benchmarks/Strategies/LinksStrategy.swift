import DurableIO

/// Apple's algorithm: a new folder, with a hard link to each unchanged child and with new files for changed ones.
/// It is exchanged for the old folder, which is then removed link by link.
final class LinksStrategy: WholeFolder {
  override class var name: String { "links" }

  override class func carry(
    _ name: FileName, from old: borrowing OwnedDescriptor, to new: borrowing OwnedDescriptor,
    on disk: any Disk
  ) throws(SystemError) {
    try disk.link(name, in: old, to: name, in: new)
  }
}
