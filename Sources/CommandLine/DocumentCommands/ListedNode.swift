import CommandSupport
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc

/// A node of a package in the output of `tree`.
struct ListedNode: Encodable {
  var path: String
  var kind: PackageEntry.Kind
  var size: UInt64?
  var modified: Date?
  var target: String?

  init(_ entry: PackageEntry) {
    path = entry.path
    kind = entry.kind
    size = entry.size
    modified = entry.modificationDate
    target = entry.linkDestination
  }

  init(_ node: FileWrapper, at path: String) throws {
    self.path = path
    kind = node.isDirectory ? .directory : node.isSymbolicLink ? .link : .file
    size = node.isRegularFile ? node.regularFileSize : nil
    modified = node.fileAttributes["NSFileModificationDate"] as? Date
    if node.isSymbolicLink { target = FileName(bytes: try node.linkDestination()).string }
  }

  /// The columns before the path with `--long`.
  fileprivate var details: String {
    let size = size.map(String.init) ?? "-"
    let date = modified.map(localTime) ?? ""
    return String(repeating: " ", count: max(0, 12 - size.count)) + "\(size)  \(date)  "
  }

  /// The text behind the path and before a link's destination.
  fileprivate var end: String {
    switch kind {
    case .file: ""
    case .directory: "/"
    case .link: " -> "
    case .fifo, .socket, .device: " (\(kind.rawValue))"
    }
  }
}

/// Prints nodes: one by one as lines or as bare paths that each end in a NUL, or all together as a JSON array.
struct NodeOutput: ~Copyable {
  private let json: Bool
  private let long: Bool
  private let endsInNul: Bool
  private var output = StandardOutput()
  /// The elements of the JSON array, which is printed whole or not at all.
  private var elements: [String] = []

  init(json: Bool, long: Bool, endsInNul: Bool) {
    (self.json, self.long, self.endsInNul) = (json, long, endsInNul)
  }

  mutating func add(_ node: ListedNode) throws {
    if json { return elements.append(try CommandSupport.json(node)) }
    if long { output.write(node.details) }
    output.write(path: node.path, quoting: !endsInNul)
    if endsInNul { return output.write("\0") }
    output.write(node.end)
    if let target = node.target { output.write(path: target) }
    output.write("\n")
  }

  mutating func end() {
    if json { output.line(elements.isEmpty ? "[]" : "[\n\(elements.joined(separator: ",\n"))\n]") }
  }
}

extension FileWrapper {
  /// Calls `body` with every node in the tree, a folder before its children, names in byte order.
  func forEachListed(in folder: String = "", _ body: (ListedNode) throws -> Void) throws {
    for name in try childNames().sorted(by: { FileName($0) < FileName($1) }) {
      guard let child = try child(named: name) else { continue }
      let path = folder + name
      try body(ListedNode(child, at: path))
      if child.isDirectory { try child.forEachListed(in: path + "/", body) }
    }
  }
}
