package import DurableIO
package import FilePackages

/// One node of a document as a container has it.
///
/// Folders and links have no dates: a date of a folder changes with each entry, and no document depends on it.
package struct TreeEntry: Sendable, Hashable {
  /// The kind of a node, with the content of a file or a link.
  package enum Kind: Sendable, Hashable {
    case file(FileContent)
    case directory
    /// A symbolic link with the bytes of its destination.
    case link([UInt8])
  }

  /// The place in the document; never the root.
  package var path: PackagePath
  /// The kind of the node.
  package var kind: Kind
  /// The nine permission bits; 0o777 for a link.
  package var mode: UInt16

  package init(_ path: PackagePath, _ kind: Kind, mode: UInt16) {
    (self.path, self.kind) = (path, kind)
    if case .link = kind { self.mode = 0o777 } else { self.mode = mode & 0o777 }
  }

  /// The bytes of a file; 0 for any other node.
  package var size: UInt64 { if case .file(let content) = kind { content.size } else { 0 } }
}

/// The content of a file as a container has it.
package struct FileContent: Sendable, Hashable {
  /// Bytes.
  package var size: UInt64
  /// SHA-256 of all bytes.
  package var hash: ContentHash
  /// The modification date.
  package var modified: FileTime
  /// The list of the pieces that have the bytes; nil for one blob, whose name is the file's hash.
  package var list: BlobName?

  package init(size: UInt64, hash: ContentHash, modified: FileTime, list: BlobName? = nil) {
    (self.size, self.hash, self.modified, self.list) = (size, hash, modified, list)
  }
}

/// A part of a file's bytes in a blob.
package struct FilePiece: Sendable, Hashable {
  /// The blob.
  package var name: BlobName
  /// The bytes of the file in this part.
  package var size: UInt64

  package init(_ name: BlobName, size: UInt64) { (self.name, self.size) = (name, size) }
}
