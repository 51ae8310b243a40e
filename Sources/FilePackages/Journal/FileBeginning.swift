import DurableIO

/// What a file begins with, read as far as it is asked for: of a file that anybody may have made larger than what is in
/// it, nothing else is read.
struct FileBeginning: ~Copyable {
  /// So much is read at a time, in bytes.
  static let step = 1 << 16

  let file: OwnedDescriptor
  private let disk: any Disk
  /// How long the file is.
  let size: Int
  private(set) var bytes: [UInt8] = []

  init(of file: consuming OwnedDescriptor, size: Int, on disk: any Disk) {
    self.file = file
    self.size = size
    self.disk = disk
  }

  /// Whether the first `count` bytes are there; reads what is missing of them, and a little more.
  mutating func has(_ count: Int) throws(SystemError) -> Bool {
    if count > bytes.count && count <= size {
      let goal = min(size, (count + Self.step - 1) / Self.step * Self.step)
      bytes += try disk.read(file, at: UInt64(bytes.count), atMost: goal - bytes.count)
    }
    return count <= bytes.count
  }

  /// Ends reading.
  consuming func takeFile() -> OwnedDescriptor { file }
}
