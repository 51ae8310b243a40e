package import DurableIO

/// The beginning of a file, read only as far as a caller asks.
///
/// Any program may have made the file larger than its content; that rest is never read.
package struct FileBeginning: ~Copyable {
  /// The number of bytes in one read.
  static let step = 1 << 16

  package let file: OwnedDescriptor
  private let disk: any Disk
  /// The length of the file.
  package let size: Int
  package private(set) var bytes: [UInt8] = []

  package init(of file: consuming OwnedDescriptor, size: Int, on disk: any Disk) {
    self.file = file
    self.size = size
    self.disk = disk
  }

  /// Returns whether the file has `count` bytes; reads the missing ones, and a little more.
  package mutating func has(_ count: Int) throws(SystemError) -> Bool {
    if count > bytes.count && count <= size {
      let goal = min(size, (count + Self.step - 1) / Self.step * Self.step)
      bytes += try disk.read(file, at: UInt64(bytes.count), atMost: goal - bytes.count)
    }
    return count <= bytes.count
  }

  /// Ends reading, and returns the file.
  package consuming func takeFile() -> OwnedDescriptor { file }
}
