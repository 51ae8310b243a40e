/// An open file or directory of one disk, which closes at the end of its scope.
///
/// An error of `close` tells nothing new. The caller has synced all data that must be durable, and the sync reports
/// every earlier failure to write.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The number that the disk gave it.
  package let number: Int32
  private let disk: any Disk

  package init(_ number: Int32, of disk: any Disk) {
    self.number = number
    self.disk = disk
  }

  deinit {
    disk.close(number)
  }
}
