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

/// The walk through every node of a package on disk except the hidden folder.
package struct PackageWalk {
  package let location: Location
  let attributes: Bool

  package init(location: Location, attributes: Bool) {
    self.location = location
    self.attributes = attributes
  }

  package func visit(_ body: (PackageEntry) throws -> Void) throws {
    let root: OwnedDescriptor
    do {
      root = try location.openDirectory(.root)
    } catch {
      throw FilePackageError(error, .read, StoredNode(location: location, path: .root))
    }
    try visit(root, at: .root, body)
  }

  private func visit(
    _ directory: borrowing OwnedDescriptor, at path: PackagePath,
    _ body: (PackageEntry) throws -> Void
  ) throws {
    let disk = location.disk
    if path.names.count > PackagePath.maximumDepth {
      throw FilePackageError(.tooDeep, .read, StoredNode(location: location, path: path))
    }
    let listing: DirectoryListing
    do {
      listing = try disk.list(directory)
    } catch {
      throw FilePackageError(error, .read, StoredNode(location: location, path: path))
    }
    let prefix = path.isRoot ? [] : path.bytes + [UInt8(ascii: "/")]
    for position in listing.sortedPositions() {
      let kind = listing.kind(at: position)
      let isHidden = listing.withName(at: position) { $0.elementsEqual(PackageLayout.hidden.bytes) }
      if path.isRoot && isHidden { continue }
      let string = listing.withName(at: position) { Self.string(prefix, $0) }
      var entry = PackageEntry(path: string, kind: .init(kind))
      do {
        let name = attributes || kind != .file ? listing.name(at: position) : FileName(bytes: [])
        if attributes {
          let status = try disk.status(of: name, in: directory)
          entry.size = kind == .file ? status.size : nil
          entry.modificationDate = status.modified.date
        }
        if kind == .symbolicLink {
          entry.linkDestination = FileName(bytes: try disk.destination(of: name, in: directory)).string
        }
      } catch {
        let place = path.appending(listing.name(at: position))
        throw FilePackageError(error, .read, StoredNode(location: location, path: place))
      }
      try body(entry)
      if kind == .directory {
        let name = listing.name(at: position)
        let place = path.appending(name)
        let child: OwnedDescriptor
        do {
          child = try disk.openDirectory(name, in: directory)
        } catch {
          throw FilePackageError(error, .read, StoredNode(location: location, path: place))
        }
        try visit(child, at: place, body)
      }
    }
  }

  /// Returns the path as one string; a path that is not plain ASCII takes a slower way.
  private static func string(_ prefix: [UInt8], _ name: UnsafeBufferPointer<UInt8>) -> String {
    if !name.allSatisfy({ $0 < 0x80 }) || !prefix.allSatisfy({ $0 < 0x80 }) {
      return PackagePath(FileName(bytes: prefix + name).string).string
    }
    return String(unsafeUninitializedCapacity: prefix.count + name.count) { buffer in
      _ = buffer.initialize(from: prefix)  // It fits.
      _ = UnsafeMutableBufferPointer(rebasing: buffer[prefix.count...]).initialize(from: name)  // It fits.
      return prefix.count + name.count
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
