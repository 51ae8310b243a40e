import Glibc

/// A zip in the form that libarchive accepts.
///
/// It has no comment behind its end, because libarchive reads at most 16 KiB there. Its 64-bit end record has the
/// number of parts that libarchive expects.
final class ZipInput: LibarchiveInput {
  private let input: ArchiveInput
  private let size: Int64
  /// The bytes that differ from the archive.
  private let patches: [(offset: Int64, bytes: [UInt8])]
  private var position: Int64 = 0

  init(_ input: ArchiveInput, _ end: ZipEnd) {
    self.input = input
    size = Int64(clamping: end.place) + Int64(ZipFormat.endSize)
    var patches = [(offset: size - 2, bytes: [UInt8](repeating: 0, count: 2))]
    if let locator = end.locatorPlace {
      // The last four bytes of the locator give the number of parts.
      let count = Int64(clamping: locator) + Int64(ZipFormat.locator64Size) - 4
      patches.append((offset: count, bytes: [1, 0, 0, 0]))
    }
    self.patches = patches
  }

  var isSeekable: Bool { true }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let wanted = Int(min(Int64(buffer.count), size - position))
    guard wanted > 0 else { return 0 }
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
    let count = try input.read(at: UInt64(position), into: part)
    for patch in patches {
      for (index, byte) in patch.bytes.enumerated() {
        let place = patch.offset + Int64(index) - position
        if (0..<Int64(count)).contains(place) { part[Int(place)] = byte }
      }
    }
    position += Int64(count)
    return count
  }

  func seek(to offset: Int64, from whence: Int32) throws -> Int64 {
    let base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? position : size
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard !overflow, target >= 0 else {
      throw ArchiveError.Finding(.damaged, "it points before its beginning")
    }
    position = min(target, size)
    return position
  }
}
