import ImageNotes

/// Reads the header of a picture: the result is a size or an error, after a bounded number of reads within the file.
///
/// The first two bits of the first byte say which file has the bytes behind it: 0 one of these bytes alone, 1 one that
/// continues with zeros up to the greatest size, 2 one that repeats the bytes up to the greatest size. For 3, a read
/// fails: the number of that read is in the other bits.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzImage(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  let flags = start[0]
  var source = Source(bytes: bytes, kind: flags & 3, failingRead: flags & 3 == 3 ? Int(flags >> 2) + 1 : nil)
  let result = Result { try ImageHeader(size: source.size) { try source.read($0, $1) } }
  switch result {
  case .success(let header): check(header)
  case .failure(let error as ImageHeaderError): check(error)
  case .failure(is ReadFailure): precondition(source.hasFailed, "an error that the source did not throw")
  case .failure(let error): preconditionFailure("\(error)")
  }
  if source.hasFailed {
    guard case .failure(is ReadFailure) = result else { preconditionFailure("the source's error is lost") }
  } else if flags & 3 == 0 {
    do throws(ImageHeaderError) {
      let inMemory = try ImageHeader(bytes)
      guard case .success(inMemory) = result else { preconditionFailure("\(inMemory) in memory alone") }
    } catch {
      guard case .failure(let other as ImageHeaderError) = result, other == error else {
        preconditionFailure("\(error) in memory alone")
      }
    }
  }
  return 0
}

private func check(_ header: ImageHeader) {
  precondition((header.displayWidth == nil) == [.bmp, .tiff, .heic].contains(header.format))
  precondition(header.displayWidth ?? 1 > 0 && header.displayHeight ?? 1 > 0, "\(header)")
}

/// An error is a valid result. A terminal shows its text.
private func check(_ error: ImageHeaderError) {
  let text = error.description
  precondition(
    text.utf8.count < 512 && !text.unicodeScalars.contains { $0.properties.generalCategory == .control },
    text)
}

private struct ReadFailure: Error {}

/// A file that counts its reads.
private struct Source {
  let bytes: [UInt8]
  let kind: UInt8
  let failingRead: Int?
  private(set) var reads = 0
  private(set) var hasFailed = false

  init(bytes: [UInt8], kind: UInt8, failingRead: Int?) {
    (self.bytes, self.kind, self.failingRead) = (bytes, kind, failingRead)
  }

  var size: UInt64 { kind == 1 || kind == 2 ? .max : UInt64(bytes.count) }

  mutating func read(_ offset: UInt64, _ count: Int) throws -> [UInt8] {
    reads += 1
    precondition(!hasFailed, "a read after the error")
    precondition(reads <= ImageHeader.maximumReads && (1...ImageHeader.maximumReadSize).contains(count))
    precondition(offset <= size && UInt64(count) <= size - offset, "a read outside of the file")
    if reads == failingRead {
      hasFailed = true
      throw ReadFailure()
    }
    return (0..<UInt64(count)).map { place in
      let index = offset + place
      if index < bytes.count { return bytes[Int(index)] }
      return kind == 1 ? 0 : bytes[Int(index % UInt64(bytes.count))]
    }
  }
}
