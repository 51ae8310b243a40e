package import DurableIO
public import FilePackages
public import FoundationEssentials
import SystemPackage

/// A found document, with the facts that a query knows without opening it.
public struct DocumentItem: Sendable {
  let folder: FolderPath
  let name: FileName
  let kind: DocumentKind
  let node: DocumentNode
  let modified: FileTime
  let bytes: UInt64
  var ubiquity: UbiquityBox?

  /// The URL of the document.
  ///
  /// Its path begins with the searched folder's path, as the search gives it.
  public var url: URL {
    URL(filePath: path, directoryHint: kind.isPackage ? .isDirectory : .notDirectory)
  }

  /// The path of the document; bytes that are not UTF-8 are spelled without loss.
  public var path: String { folder.appending(name).string }

  /// The name in the file system; bytes that are not UTF-8 are spelled without loss.
  public var filename: String { name.string }

  /// The name for people: the filename without its extension, with bytes that are not UTF-8 as `\xNN`.
  public var displayName: String { displayString(nameWithoutExtension) }

  /// The filename without its extension, if a type has this extension; bytes that are not UTF-8 are spelled without loss.
  package var nameWithoutExtension: String {
    let name = filename
    guard kind.hasKnownExtension, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return name
    }
    return String(name[..<dot])
  }

  /// The type of the filename; `.package` for a package of this library whose filename has none.
  public var contentType: UTType { kind.type }

  /// Whether the document is a directory; otherwise it is a flat file.
  public var isPackage: Bool { kind.isPackage }

  /// The size in bytes; nil for a package outside a container, because a query does not open packages.
  public var size: UInt64? { kind.isPackage && ubiquity == nil ? nil : bytes }

  /// The date of the last change to the content, by the file system's clock.
  ///
  /// A package's date changes when a program makes, renames or removes a name at its top, as each save of this library
  /// does.
  public var modificationDate: Date { modified.date }

  /// The date when the file or directory was made; nil if the file system does not record it.
  ///
  /// A save that replaces the whole document makes a new file or directory.
  public var creationDate: Date? { node.born?.date }

  /// Whether the document belongs to a container.
  public var isUbiquitous: Bool { ubiquity != nil }

  /// The attributes of a document in a container; nil for any other document.
  public var ubiquitousAttributes: UbiquitousAttributes? { ubiquity?.attributes }

  /// The file system of the document; 0 for a placeholder.
  ///
  /// With `inode` it identifies the document under any name.
  public var device: UInt64 { node.device }

  /// The number of the document's file or directory on its file system.
  public var inode: UInt64 { node.inode }

  /// Opens and reads `Metadata.plist`: the package's version and metadata, such as its permanent identifier.
  ///
  /// - Returns: nil for a flat file and for another program's package.
  /// - Throws: `metadataDamaged` and `newerFormat`; `noSuchFile` if the document no longer exists; other codes for
  ///   errors of the system.
  public func metadata() async throws(FilePackageError) -> PackageMetadata? {
    try await metadata(on: PosixDisk())
  }

  package func metadata(on disk: any Disk) async throws(FilePackageError) -> PackageMetadata? {
    guard kind.isPackage else { return nil }
    let path = folder.appending(name)
    return try await BlockingThread().run { () throws(FilePackageError) in
      try PackageMetadata.read(from: path, on: disk)
    }
  }

  /// Returns the document's title: the name in `Metadata.plist` that the user gave it, or else `displayName`.
  ///
  /// Cost: five disk operations. So a search, which costs one for each document, reads no titles.
  ///
  /// - Throws: as `metadata()`.
  public func title() async throws(FilePackageError) -> String {
    try await metadata()?.displayName ?? displayName
  }
}

extension DocumentItem: Hashable {
  /// Whether both are the same document, in the same place, with the same attributes.
  public static func == (left: DocumentItem, right: DocumentItem) -> Bool {
    left.node == right.node && left.modified == right.modified && left.bytes == right.bytes
      && left.name == right.name && left.kind === right.kind
      && left.ubiquitousAttributes == right.ubiquitousAttributes
      && left.folder == right.folder
  }

  /// Hashes the document's node and name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(node)
    hasher.combine(name)
  }
}

extension DocumentItem {
  /// What stays the same if the document moves: the file or directory, or the name in its container.
  enum Identity: Hashable {
    case node(DocumentNode)
    case source(String)
  }

  var identity: Identity { ubiquity.map { .source($0.id) } ?? .node(node) }

  /// Returns whether both are the same document.
  ///
  /// If the file system does not record when a node was made, date and size must be the same, too. Another node may
  /// have the number.
  func isSameNode(as other: DocumentItem) -> Bool {
    identity == other.identity
      && (ubiquity != nil || node.born != nil || (modified == other.modified && bytes == other.bytes))
  }
}

/// The place of a document.
struct DocumentPlace: Hashable {
  let folder: FolderPath
  let name: FileName

  init(_ name: FileName, in folder: FolderPath) { (self.folder, self.name) = (folder, name) }

  init(_ item: DocumentItem) { self.init(item.name, in: item.folder) }
}

/// The attributes of a document in a container; other documents have none, and stay small.
final class UbiquityBox: Sendable {
  /// The identity within the container.
  let id: String
  let attributes: UbiquitousAttributes

  init(_ id: String, _ attributes: UbiquitousAttributes) { (self.id, self.attributes) = (id, attributes) }
}

/// The path of a folder; all items in the folder share it.
final class FolderPath: Sendable, Hashable {
  let path: FilePath
  private let hash: Int

  init(_ path: FilePath) { (self.path, hash) = (path, path.hashValue) }

  func appending(_ name: FileName) -> FilePath { path.appending(name) }

  static func == (left: FolderPath, right: FolderPath) -> Bool {
    left === right || left.hash == right.hash && left.path == right.path
  }

  func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}

/// The file or directory of a document, under any name.
struct DocumentNode: Hashable {
  let device: UInt64
  let inode: UInt64
  /// The date of the node, which tells it from a later node with the same number.
  let born: FileTime?

  init(device: UInt64, inode: UInt64, born: FileTime?) {
    (self.device, self.inode, self.born) = (device, inode, born)
  }

  init(_ status: FileStatus) {
    (device, inode, born) = (status.identity.device, status.identity.inode, status.born)
  }
}

extension DocumentItem: CustomStringConvertible {
  /// The path, for people.
  public var description: String { displayString(path) }
}
