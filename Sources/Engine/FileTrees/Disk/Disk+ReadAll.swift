package import DurableIO

extension Disk {
  /// Reads a file from `offset` to its end, at most `atMost` bytes.
  package func readAll(
    _ file: borrowing OwnedDescriptor, from offset: UInt64 = 0, atMost: Int
  ) throws(SystemError) -> [UInt8] {
    let size = Int(clamping: try status(of: file).size)
    return try read(file, at: offset, atMost: min(max(0, size - Int(clamping: offset)), atMost))
  }

  /// Calls `body` with the bytes of a file in order, at most a mebibyte at a time, and with their place.
  ///
  /// - Parameter size: the expected number of bytes, for the memory.
  package func forEachChunk(
    of file: borrowing OwnedDescriptor, size: UInt64,
    _ body: (UnsafeRawBufferPointer, UInt64) throws(SystemError) -> Void
  ) throws(SystemError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, min(Int(clamping: size), FileContents.chunkSize)), alignment: 16)
    defer { buffer.deallocate() }
    var offset: UInt64 = 0
    while true {
      let count = try read(file, at: offset, into: buffer)
      if count == 0 { return }
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]), offset)
      offset += UInt64(count)
    }
  }

  /// Reads `count` bytes, or all up to the end of the file.
  package func read(
    _ file: borrowing OwnedDescriptor, at offset: UInt64, atMost count: Int
  ) throws(SystemError) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
    defer { buffer.deallocate() }
    var filled = 0
    while filled < count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<count])
      let read = try read(file, at: offset + UInt64(filled), into: rest)
      if read == 0 { break }
      filled += read
    }
    return Array(buffer[..<filled])
  }
}
