/// The types that need no declaration and no database.
///
/// The identifiers, tags and conformances are Apple's, as far as its public documentation has them. Further formats
/// have their usual names. `inode/directory` and `inode/symlink` are freedesktop.org's, because a Linux program meets
/// them.
///
/// A type name, as in `UTType.png`, needs no table.
package enum CoreTypes {
  /// The table of this build.
  package static let table = CoreTypeTable([basics, media, text, documents, packages])

  /// Reads a table from lines of `identifier | supertypes | extensions | MIME types | description`.
  ///
  /// Identifiers and tags have to be in lower case. Lines with another number of columns are skipped.
  package static func table(from texts: [String]) -> TypeTable {
    var table = TypeTable(minimumCapacity: 256)
    for var text in texts {
      text.withUTF8 { bytes in
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
          if let entry = entry(line) { table.add(canonical: entry) }
        }
      }
    }
    return table
  }

  /// Reads a line; nil if it is none.
  static func entry(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> TypeEntry? {
    let columns = line.split(separator: UInt8(ascii: "|"), maxSplits: 5, omittingEmptySubsequences: false)
    guard columns.count == 5, let identifier = words(columns[0]).first else { return nil }
    var entry = TypeEntry(key: identifier, parents: words(columns[1]))
    let extensions = words(columns[2])
    if !extensions.isEmpty { entry.tags[.filenameExtension] = extensions }
    let mimeTypes = words(columns[3])
    if !mimeTypes.isEmpty { entry.tags[.mimeType] = mimeTypes }
    entry.description = String(decoding: columns[4].drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    return entry
  }

  private static func words(_ column: Slice<UnsafeBufferPointer<UInt8>>) -> [String] {
    column.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
  }
}
