import Documents
import DurableIO
import FilePackages

// The last version of a document, and the state, decide whether a folder is a package: another machine may know more
//     types. The types of this machine decide on a folder that no document is or is in.

/// The folders that are packages, beside those that this machine's types tell.
package struct KnownPackages: Sendable {
  /// The extensions that the user declares as those of packages, in lower case.
  package var extensions: Set<String> = []
  /// The names of documents that are packages.
  private var names: Set<String> = []
  /// The directories of documents that are packages, also under new names.
  private var nodes: Set<DocumentNodeID> = []
  /// The folders around documents.
  private var folders: Set<String> = []

  package init(extensions: Set<String> = []) { self.extensions = extensions }

  /// Notes a document that the container has.
  mutating func note(_ record: DocumentRecord, _ head: CloudVersion) {
    let isHere = record.base != nil
    if head.isDeleted && !isHere { return }
    if head.isPackage {
      names.insert(record.name)
      if isHere, let node = record.node { nodes.insert(node) }
    }
    // A placeholder says nothing about a folder that is here.
    guard isHere else { return }
    for (index, character) in zip(record.name.indices, record.name) where character == "/" {
      folders.insert(String(record.name[..<index]))
    }
  }

  /// Returns whether a folder is a package, or holds documents; nil if no document says so.
  func isPackage(_ name: String, _ node: DocumentNodeID) -> Bool? {
    if names.contains(name) || nodes.contains(node) { return true }
    return folders.contains(name) ? false : nil
  }

  /// Returns whether a folder has an extension that the user declares as that of packages.
  func hasExtension(_ name: String) -> Bool {
    guard !extensions.isEmpty, let last = name.split(separator: "/").last else { return false }
    return UTType(filename: String(last), isDirectory: true, packages: extensions).isPackageOrBundle
  }
}
