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
    held += bytes
    let surplus = max(0, held.count - 2)
    try output.write(Array(held[..<surplus]))
    held.removeFirst(surplus)
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
