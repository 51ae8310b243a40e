import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// A state of a package in a folder: the node at each path, folders before their children. The metadata and the
/// hidden folder belong to the program that saves, and are no part of the state.
struct ReplayState {
  let path: FilePath
  private(set) var nodes: [String: FileWrapper] = [:]

  init(_ path: FilePath) throws {
    self.path = path
    try collect(FileWrapper(url: URL(filePath: path.string)), "")
  }

  private mutating func collect(_ folder: FileWrapper, _ prefix: String) throws {
    for (name, node) in try folder.children() {
      if prefix.isEmpty, name == ModelPackage.metadataName.string || name.hasPrefix(".") { continue }
      nodes[prefix + name] = node
      if node.isDirectory { try collect(node, prefix + name + "/") }
    }
  }

  /// Returns the edits from an earlier state to this one: removals first, then folders before their children.
  func edits(since earlier: ReplayState) throws -> [ReplayEdit] {
    var edits: [ReplayEdit] = []
    for path in earlier.nodes.keys.sorted() where nodes[path] == nil {
      // The removal of a folder includes its children.
      if let last = edits.last, path.hasPrefix(last.path + "/") { continue }
      edits.append(ReplayEdit(path: path, kind: .removal))
    }
    for (path, node) in nodes.sorted(by: { $0.key < $1.key }) {
      let old = earlier.nodes[path]
      if let old, try Self.isSame(old, node) { continue }
      if let old, old.isDirectory || node.isDirectory { edits.append(ReplayEdit(path: path, kind: .removal)) }
      edits.append(ReplayEdit(path: path, kind: try .init(node)))
    }
    return edits
  }

  /// - Throws: `WrongContents` that names a node that differs in the other state.
  func verify(_ other: ReplayState) throws {
    if let edit = try edits(since: other).first {
      throw WrongContents(description: "'\(edit.path)' differs from the last save")
    }
  }

  private static func isSame(_ one: FileWrapper, _ other: FileWrapper) throws -> Bool {
    if one.isDirectory && other.isDirectory { return true }
    return try one.hasSameContents(as: other)
  }
}

/// One change of a package.
struct ReplayEdit {
  enum Kind {
    case removal
    case folder
    case file(Data)
    case link(URL)

    init(_ node: FileWrapper) throws {
      if node.isDirectory {
        self = .folder
      } else if node.isSymbolicLink, let destination = node.symbolicLinkDestinationURL {
        self = .link(destination)
      } else {
        self = .file(try node.contents())
      }
    }
  }

  var path: String
  var kind: Kind

  /// Makes the change in a tree.
  func apply(to tree: FileWrapper) throws {
    switch kind {
    case .removal: try tree.removeDescendant(at: path)
    case .folder: try tree.setDescendant(FileWrapper(directoryWithFileWrappers: [:]), at: path)
    case .file(let contents): try tree.setDescendant(FileWrapper(regularFileWithContents: contents), at: path)
    case .link(let url): try tree.setDescendant(FileWrapper(symbolicLinkWithDestinationURL: url), at: path)
    }
  }
}
