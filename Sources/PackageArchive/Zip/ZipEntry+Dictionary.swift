extension ZipEntry {
  /// Sees how large a dictionary an entry's compressed bytes ask for, before libarchive gives it to them. What is
  /// encrypted is stored or deflated.
  ///
  /// Cost: the entry's header; for xz, all of its compressed bytes.
  ///
  /// - Throws: a finding when it is beyond the limit.
  func checkDictionary(_ input: ArchiveInput, _ limits: ImportLimits) throws {
    guard !isEncrypted, limits.dictionaryBytes != .max else { return }
    switch method {
    case ZipFormat.lzma:
      // Two bytes of a version, two of how long the properties are; the first of these is no size.
      let header = try input.bytes(at: dataOffset, count: Int(min(9, compressedSize)))
      var reader = LittleEndianReader(header.dropFirst(5))
      guard let size = reader.next(UInt32.self) else {
        throw ArchiveError.Finding(.damaged, entry: name, "its LZMA stream is damaged")
      }
      try limits.check(dictionary: UInt64(size), entry: name)
    case ZipFormat.xz:
      var scan = XZScan(limits, entry: name)
      try input.forEachChunk(at: dataOffset, count: compressedSize) { try scan.consume($0) }
      try scan.finish()
    default: break
    }
  }
}
