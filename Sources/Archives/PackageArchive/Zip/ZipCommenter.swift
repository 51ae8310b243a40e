/// A filter that adds a comment to a zip of libarchive, which cannot write one. It holds back and replaces the last
/// two bytes, which give the length 0.
final class ZipCommenter {
  private let comment: [UInt8]
  private let output: ArchiveOutput
  private var held: [UInt8] = []

  init(_ comment: [UInt8], to output: ArchiveOutput) {
    self.comment = comment
    self.output = output
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    let kept = max(0, bytes.count - 2)
    if kept > 0 {
      try output.write(held)
      try output.write(UnsafeRawBufferPointer(rebasing: bytes[..<kept]))
      held = []
    }
    held += bytes[kept...]
    let surplus = held.count - 2
    if surplus > 0 {
      try output.write(Array(held[..<surplus]))
      held.removeFirst(surplus)
    }
  }

  /// Writes the comment after libarchive's last byte.
  ///
  /// - Throws: a finding if the archive does not end like one without a comment.
  func finish() throws {
    guard held == [0, 0] else {
      throw ArchiveError.Finding(.inputOutput, "libarchive wrote an unknown end")
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(comment.count))
    try output.write(bytes + comment)
  }
}
