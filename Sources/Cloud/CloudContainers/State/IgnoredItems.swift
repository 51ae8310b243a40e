import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// A document that the container has is never ignored, as git ignores no file that it tracks: otherwise a new rule would
//     look like a deletion.

/// The items of a container folder that a run leaves alone: they are neither uploaded nor deleted.
///
/// They are those that the rules match, and the temporary files of editors and systems.
package struct IgnoredItems: Sendable {
  /// The file with the rules, at the top of the container folder. It stays on its machine, as all hidden files do.
  static let file: FileName = ".docpkgignore"
  /// The largest file of rules, in bytes.
  static let maximumSize = 1 << 20

  private var rules = PathPatterns()
  private var hasTemporary = false
  private var names: Set<String> = []
  private var nodes: [DocumentNodeID: String] = [:]

  /// Makes a value that matches no item.
  package init() {}

  /// Makes a value that matches the rules of the folder, and temporary files.
  package init(_ rules: PathPatterns) { (self.rules, hasTemporary) = (rules, true) }

  /// Notes a document that the container has, with the folders around it.
  mutating func note(_ record: DocumentRecord) {
    let name = record.name
    names.insert(name)
    for index in name.utf8.indices where name.utf8[index] == UInt8(ascii: "/") {
      names.insert(String(name[..<index]))
    }
    if record.base != nil, let node = record.node { nodes[node] = name }
  }

  /// Returns whether the rules match an item, or whether it is a temporary file.
  func matches(_ name: String, isDirectory: Bool) -> Bool {
    rules.matches(name, isDirectory: isDirectory)
      || hasTemporary && !isDirectory && Self.isTemporary(name)
  }

  /// Returns whether editors and systems give a document's name to files for their own use.
  static func isTemporary(_ name: String) -> Bool {
    TemporaryNames.contains(String(name.split(separator: "/").last ?? ""))
  }

  /// Returns whether an item is a document of the container, or a folder around one.
  func isInContainer(_ name: String) -> Bool { names.contains(name) }

  /// Returns the name that a document of the container has there; nil if the file or directory is none.
  func name(of node: DocumentNodeID) -> String? { nodes[node] }
}

extension ContainerFolder {
  /// Reads the rules of the items that are ignored; none if there is no such file.
  func ignoreRules() throws(FilePackageError) -> PathPatterns {
    try path.appending(IgnoredItems.file).attempt(.read) {
      let root = try disk.openDirectory(at: path)
      guard try disk.exists(IgnoredItems.file, in: root) else { return PathPatterns() }
      let file = try disk.openFile(IgnoredItems.file, in: root)
      return PathPatterns(
        String(decoding: try disk.readAll(file, atMost: IgnoredItems.maximumSize), as: UTF8.self))
    }
  }
}
