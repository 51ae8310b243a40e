extension ZipEntry {
  /// Checks the dictionary size of an entry in LZMA before libarchive allocates it. An encrypted entry is stored or
  /// deflated, and needs none.
  ///
  /// - Throws: a finding if the size exceeds the limit.
  func checkDictionary(_ input: ArchiveInput, _ limits: ImportLimits) throws {
    guard !isEncrypted, method == ZipFormat.lzma, limits.dictionaryBytes != .max else { return }
    // The header has two bytes of a version, two of the length of the properties, and a first property that is no
    // size.
    let header = try input.bytes(at: dataOffset, count: Int(min(9, compressedSize)))
    var reader = LittleEndianReader(header.dropFirst(5))
    guard let size = reader.next(UInt32.self) else {
      throw ArchiveError.Finding(.damaged, entry: name, "its LZMA stream is damaged")
    }
    try limits.check(dictionary: UInt64(size), entry: name)
  }
}
