/// Gives a zip that libarchive writes a comment, which libarchive cannot: the last two bytes, which say that there is
/// none, are held back and replaced.
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

  /// Writes the comment, once libarchive has written all.
  ///
  /// - Throws: a finding where the archive does not end as one without a comment.
  func finish() throws {
    guard held == [0, 0] else {
      throw ArchiveError.Finding(.inputOutput, "libarchive ended it in a way that is not known")
    }
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt16(comment.count))
    try output.write(bytes + comment)
  }
}
