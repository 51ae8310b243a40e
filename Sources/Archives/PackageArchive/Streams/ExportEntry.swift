import DurableIO
import FilePackages

/// A node of a package that an export writes into an archive.
struct ExportEntry {
  enum Content {
    case directory
    case link([UInt8])
    case file(FileContents)
  }

  /// The names of the entry's path in the archive.
  var path: [FileName]
  var content: Content
  /// Permission bits.
  var mode: UInt16
  var modified: FileTime
  /// The node on disk that has the extended attributes; nil if the node is in memory, or if the export omits
  /// attributes.
  var attributed: StoredNode?
  /// Whether this is the media type of a flat zip, which stands first, stored and without extra fields.
  var isMimetype = false

  /// The path as archives spell it; a folder's path ends in a slash.
  ///
  /// The path begins with `./` if a reader could mistake it. That holds for the top itself and for a name like
  /// `C:`. It also holds for a name with a backslash and no slash, which programs take for a Windows path.
  var name: [UInt8] {
    var name = PackagePath(path).bytes
    if case .directory = content, !path.isEmpty { name.append(UInt8(ascii: "/")) }
    guard let first = path.first else { return Array("./".utf8) }
    let looksForeign = !name.contains(UInt8(ascii: "/")) && name.contains(UInt8(ascii: "\\"))
    return first.hasDriveLetter || looksForeign ? Array("./".utf8) + name : name
  }

  /// Returns the `user.*` attributes, sorted by name.
  func extendedAttributes() throws -> [(name: String, value: [UInt8])] {
    guard let node = attributed else { return [] }
    do {
      let all: [String: [UInt8]]
      switch content {
      case .file: all = try node.disk.extendedAttributes(of: try node.openFile())
      case .directory: all = try node.disk.extendedAttributes(of: try node.location.openDirectory(node.path))
      // A link has no attributes on Linux.
      case .link: return []
      }
      return all.filter { $0.key.hasPrefix("user.") }.sorted { $0.key < $1.key }
        .map { (name: $0.key, value: $0.value) }
    } catch let error as SystemError {
      throw FilePackageError(error, .read, node)
    }
  }
}
