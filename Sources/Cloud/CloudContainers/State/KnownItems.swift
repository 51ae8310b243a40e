import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// A document that the container has is never ignored, as git ignores no file that it tracks. Otherwise a new rule would
//     look like a deletion.
// The last version of a document, and the state, decide whether a folder is a package: another machine may know more
//     types. The types of this machine decide on a folder that no document is or is in.

/// The items of a container folder that the container has, or that a rule of the folder matches.
///
/// A run leaves the items alone that the rules match, and the temporary files of editors and systems: they are neither
/// uploaded nor deleted.
package struct KnownItems: Sendable {
  /// The file with the rules, at the top of the container folder. It stays on its machine, as all hidden files do.
  static let rules: FileName = ".docpkgignore"
  /// The largest file of rules, in bytes.
  static let maximumRules = 1 << 20

  private let rules: PathPatterns
  /// The names of documents that the container has, and whether they are packages.
  private var documents: [String: Bool] = [:]
  /// The names of those that are here, by their files and directories, which may have new names.
  private var nodes: [DocumentNodeID: String] = [:]
  /// The folders around documents, and whether one of these is here.
  private var folders: [String: Bool] = [:]

  init(_ rules: PathPatterns) { self.rules = rules }

  /// Notes a document.
  mutating func note(_ record: DocumentRecord, _ head: CloudVersion?) {
    let (name, isHere) = (record.name, record.base != nil)
    guard isHere || head.map({ !$0.isDeleted }) ?? false else { return }
    documents[name] = documents[name] ?? false || head?.isPackage ?? false
    if isHere, let node = record.node { nodes[node] = name }
    for index in name.utf8.indices where name.utf8[index] == UInt8(ascii: "/") {
      folders[String(name[..<index]), default: false] = isHere || folders[String(name[..<index])] ?? false
    }
  }

  /// Returns whether the rules match an item, or whether it is a temporary file.
  func ignore(_ name: String, isDirectory: Bool) -> Bool {
    rules.matches(name, isDirectory: isDirectory) || !isDirectory && Self.isTemporary(name)
  }

  /// Returns whether editors and systems give a document's name to files for their own use.
  static func isTemporary(_ name: String) -> Bool {
    TemporaryNames.contains(String(name.split(separator: "/").last ?? ""))
  }

  /// Returns whether an item is a document of the container, or a folder around one.
  func isInContainer(_ name: String) -> Bool { documents[name] != nil || folders[name] != nil }

  /// Returns the name that a document of the container has there; nil if the file or directory is none.
  func name(of node: DocumentNodeID) -> String? { nodes[node] }

  /// Returns whether a folder is a package, or holds documents that are here; nil if no document says so.
  func isPackage(_ name: String, _ node: DocumentNodeID) -> Bool? {
    if documents[name] == true || nodes[node].flatMap({ documents[$0] }) == true { return true }
    return folders[name] == true ? false : nil
  }
}

extension ContainerFolder {
  /// Reads the rules of the items that are ignored; none if there is no such file.
  func ignoreRules() throws(FilePackageError) -> PathPatterns {
    try path.appending(KnownItems.rules).attempt(.read) {
      let root = try disk.openDirectory(at: path)
      guard try disk.exists(KnownItems.rules, in: root) else { return PathPatterns() }
      let file = try disk.openFile(KnownItems.rules, in: root)
      return PathPatterns(
        String(decoding: try disk.readAll(file, atMost: KnownItems.maximumRules), as: UTF8.self))
    }
  }
}

extension ContainerSession {
  /// Returns whether the folder ignores a document in it that the container does not have.
  package func ignores(_ name: String) throws -> Bool {
    guard let local = try FolderScan.document(name, in: folder) else { return false }
    return try !local.isPackage && KnownItems.isTemporary(name)
      || folder.ignoreRules().matchesAnyPart(of: name, isDirectory: local.isPackage)
  }
}
