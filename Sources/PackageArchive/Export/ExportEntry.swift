import DurableIO
import FilePackages

/// One node of a package on its way into an archive.
struct ExportEntry {
  enum Content {
    case directory
    case link([UInt8])
    case file(FileContents)
  }

  /// The names that lead to it in the archive.
  var path: [FileName]
  var content: Content
  /// Permission bits.
  var mode: UInt16
  var modified: FileTime
  /// Where on disk it is, for its extended attributes; nil for what is in memory, or has none to keep.
  var attributed: StoredNode?
  /// Whether it says what kind of document a zip is, by standing first, stored and without extra fields.
  var isMimetype = false

  /// The path as archives spell it; a folder's ends in a slash. It begins with `./` where it could be taken for another
  /// one: of the top itself, of a name like `C:`, and of one with a backslash and no slash, which programs take for one
  /// of Windows.
  var name: [UInt8] {
    var name = PackagePath(path).bytes
    if case .directory = content, !path.isEmpty { name.append(UInt8(ascii: "/")) }
    guard let first = path.first else { return Array("./".utf8) }
    let looksForeign = !name.contains(UInt8(ascii: "/")) && name.contains(UInt8(ascii: "\\"))
    return first.hasDriveLetter || looksForeign ? Array("./".utf8) + name : name
  }

  /// The `user.*` attributes, by name.
  func extendedAttributes() throws -> [(name: String, value: [UInt8])] {
    guard let node = attributed else { return [] }
    do {
      let all: [String: [UInt8]]
      switch content {
      case .file: all = try node.disk.extendedAttributes(of: try node.openFile())
      case .directory: all = try node.disk.extendedAttributes(of: try node.location.openDirectory(node.path))
      // Linux has none on links.
      case .link: return []
      }
      return all.filter { $0.key.hasPrefix("user.") }.sorted { $0.key < $1.key }
        .map { (name: $0.key, value: $0.value) }
    } catch let error as SystemError {
      throw FilePackageError(error, .read, node)
    }
  }
}
