import DurableIO
public import FilePackages
public import FoundationEssentials
import SystemPackage

/// What is known of a document that was found, without opening it.
public struct DocumentItem: Sendable {
  let folder: FolderPath
  let name: FileName
  let kind: DocumentKind
  let node: DocumentNode
  let modified: FileTime
  let bytes: UInt64

  /// Where the document is. Its path begins with that of the folder that was searched, as it was given.
  public var url: URL {
    URL(filePath: path, directoryHint: kind.isPackage ? .isDirectory : .notDirectory)
  }

  /// The same as a path, bytes that are not UTF-8 spelled without loss.
  public var path: String { folder.appending(name).string }

  /// The name in the file system, bytes that are not UTF-8 spelled without loss.
  public var filename: String { name.string }

  /// The name for people: the filename without its extension, and what is not UTF-8 as `\xNN`.
  public var displayName: String {
    let name = name.display
    guard kind.hasKnownExtension, let dot = name.lastIndex(of: "."), dot > name.startIndex else {
      return name
    }
    return String(name[..<dot])
  }

  /// What it is, as its name tells; `.package` for a package of this library's whose name tells nothing.
  public var contentType: UTType { kind.type }

  /// Whether it is a directory that is one document; otherwise it is a flat file.
  public var isPackage: Bool { kind.isPackage }

  /// The bytes of a flat file; nil for a package, which had to be opened to know.
  public var size: UInt64? { kind.isPackage ? nil : bytes }

  /// When the content was last changed, as the file system says: of a package, when something at its top was made,
  /// renamed or removed, as each save of this library does.
  public var contentChangeDate: Date { modified.date }

  /// When the file or directory was made; nil where the file system does not tell. A save that replaces the whole
  /// document makes another one.
  public var creationDate: Date? { node.born?.date }

  /// The file system that the document is on. With `inode` it tells the document wherever it is renamed to.
  public var device: UInt64 { node.device }

  /// The number of the document's file or directory on its file system.
  public var inode: UInt64 { node.inode }

  /// The package's version and metadata, such as the identifier that stays with it: opens and reads
  /// `Metadata.plist`. Nil for a flat file and for a package of another program's.
  ///
  /// - Throws: `metadataDamaged` and `newerFormat`; `noSuchFile` when the document is gone by now; other codes for
  ///   what the system refuses.
  public func metadata() async throws(FilePackageError) -> PackageMetadata? {
    guard kind.isPackage else { return nil }
    let path = folder.appending(name)
    return try await BlockingThread().run { () throws(FilePackageError) in
      try PackageMetadata.read(from: path)
    }
  }
}

extension DocumentItem: Hashable {
  /// Whether both are the same document, in the same place, with the same attributes.
  public static func == (left: DocumentItem, right: DocumentItem) -> Bool {
    left.node == right.node && left.modified == right.modified && left.bytes == right.bytes
      && left.name == right.name && left.kind === right.kind
      && (left.folder === right.folder || left.folder.path == right.folder.path)
  }

  /// Hashes what tells the document.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(node)
    hasher.combine(name)
  }
}

extension DocumentItem {
  /// Whether both stand at the same path.
  func isSamePlace(as other: DocumentItem) -> Bool {
    name == other.name && (folder === other.folder || folder.path == other.folder.path)
  }
}

/// The path of a folder, shared by everything that was found in it.
final class FolderPath: Sendable {
  let path: FilePath

  init(_ path: FilePath) { self.path = path }

  func appending(_ name: FileName) -> FilePath { path.appending(name) }
}

extension FilePath {
  /// The path as a string that spells every byte.
  var string: String { FileName(self).string }

  var url: URL { URL(filePath: string, directoryHint: .isDirectory) }
}

/// Which file or directory a document is, wherever it is renamed to.
struct DocumentNode: Hashable {
  let device: UInt64
  let inode: UInt64
  /// Tells a node from another one that got its number later.
  let born: FileTime?

  init(_ status: FileStatus) {
    (device, inode, born) = (status.identity.device, status.identity.inode, status.born)
  }
}
