/// An open file or directory of one disk, closed when it goes out of scope.
///
/// An error of `close` says nothing that is not already known: whatever must be durable was synchronised
/// before, and synchronising reports every earlier failure to write.
package struct OwnedDescriptor: ~Copyable, Sendable {
  /// The number under which the disk knows it.
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
