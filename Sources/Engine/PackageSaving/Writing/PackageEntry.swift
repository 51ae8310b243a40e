import DurableIO
package import FileTrees
public import FoundationEssentials
import PackageFormat
import SystemPackage

/// One node of a package on disk.
public struct PackageEntry: Sendable, Hashable {
  /// The kind of a node. FIFOs, sockets and devices are not children of the document, and a save does not touch them.
  public enum Kind: String, Sendable, Codable {
    case file, directory, link, fifo, socket, device
  }

  /// The path within the package, as a string from which its bytes can be recovered.
  public var path: String
  /// The path for people: control characters and bytes that are not UTF-8 appear as `\xNN`.
  public var displayPath: String { displayString(path) }
  /// The kind of the node.
  public var kind: Kind
  /// The bytes of a regular file; nil without `attributes`.
  public var size: UInt64?
  /// The modification date; nil without `attributes`.
  public var modificationDate: Date?
  /// The destination of a symbolic link, as a string from which its bytes can be recovered.
  public var linkDestination: String?
}

extension PackageEntry: CustomStringConvertible {
  /// One line, such as `Images/`, `Latest -> Images/1.png` or `Queue (fifo)`.
  public var description: String {
    switch kind {
    case .file: displayPath
    case .directory: displayPath + "/"
    case .link: displayPath + " -> " + displayString(linkDestination ?? "")
    case .fifo, .socket, .device: displayPath + " (\(kind.rawValue))"
    }
  }
}

extension StoredNode {
  /// Calls `body` with every node in the folder on disk: see `PackageStore.forEachEntry(attributes:_:)`.
  package func forEachEntry(attributes: Bool, _ body: (PackageEntry) throws -> Void) throws {
    if path.names.count > PackagePath.maximumDepth { throw FilePackageError(.tooDeep, .read, self) }
    let listing = try list()
    let positions = listing.sortedPositions()
    let names = positions.map(listing.name(at:))
    for (position, node) in zip(positions, attributes ? try children(names) : names.map { child($0) }) {
      let kind = listing.kind(at: position)
      var entry = PackageEntry(path: node.path.string, kind: .init(kind))
      if let status = node.status {
        entry.size = kind == .file ? status.size : nil
        entry.modificationDate = status.modified.date
      }
      if kind == .symbolicLink { entry.linkDestination = FileName(bytes: try node.readLink()).string }
      try body(entry)
      if kind == .directory { try node.forEachEntry(attributes: attributes, body) }
    }
  }
}

extension PackageEntry.Kind {
  fileprivate init(_ kind: FileKind) {
    self =
      switch kind {
      case .file: .file
      case .directory: .directory
      case .symbolicLink: .link
      case .fifo: .fifo
      case .socket: .socket
      case .device: .device
      }
  }
}
