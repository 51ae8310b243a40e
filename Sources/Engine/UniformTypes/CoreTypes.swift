/// The types that need no declaration.
///
/// The identifiers, tags and conformances are Apple's, as far as its public documentation has them. Further formats
/// have their usual names. `inode/directory` and `inode/symlink` are freedesktop.org's, because a Linux program meets
/// them.
///
/// A type name, as in `UTType.png`, needs no table.
package enum CoreTypes {
  /// The table of `lines`. Cost: the first question reads all lines, in less than a millisecond.
  package static let table: TypeTable = {
    var table = TypeTable()
    var lines = CoreTypes.lines
    lines.withUTF8 { bytes in
      for line in bytes.split(separator: UInt8(ascii: "\n")) { table.add(core: entry(line)) }
    }
    return table
  }()

  private static func entry(_ line: Slice<UnsafeBufferPointer<UInt8>>) -> TypeEntry {
    let columns = line.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
    let words = columns.map { column in
      column.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }
    let tags = [UTTagClass.filenameExtension: words[2], .mimeType: words[3]]
    return TypeEntry(
      key: words[0][0], parents: words[1], tags: tags.filter { !$0.value.isEmpty },
      description: words[4].joined(separator: " "))
  }

  /// Extensions of packages whose types have no known identifier. Their types are dynamic ones that conform to
  /// `com.apple.package`.
  ///
  /// They belong to Final Cut Pro, Lightroom, Capture One, UTM, Parallels Desktop, DocC, Xcode's localizations and
  /// audio plug-ins.
  package static let packageExtensions: Set<String> = [
    "cocatalog", "docc", "fcpbundle", "fcpxmld", "lrdata", "lrlibrary", "pvm", "utm", "vst", "vst3", "xcloc",
  ]
}
