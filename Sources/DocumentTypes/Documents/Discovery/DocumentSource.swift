package import DurableIO
import FilePackages
package import SystemPackage

/// A place with documents that the file system alone does not show, such as a container with placeholders.
package protocol DocumentSource: Sendable {
  /// The folder where its documents are, or will be.
  var sourceRoot: FilePath { get }

  /// Returns all documents of this moment.
  func sourceDocuments() async throws -> [SourceDocument]

  /// Returns a sequence with an element after each change of which the source knows.
  ///
  /// - Parameter interval: the time between two looks for changes that nothing tells.
  func changes(every interval: Duration) -> AsyncStream<Void>
}

/// The facts of a document in a source.
package struct SourceDocument: Sendable {
  /// The identity within the source, under any name.
  package var id: String
  /// The place, also of a document that is not here.
  package var path: FilePath
  package var isPackage: Bool
  /// The file or directory; nil for a placeholder.
  package var node: (device: UInt64, inode: UInt64, born: FileTime?)?
  package var modified: FileTime
  /// The bytes of a flat file.
  package var size: UInt64
  package var attributes: UbiquitousAttributes

  package init(
    id: String, path: FilePath, isPackage: Bool, node: (device: UInt64, inode: UInt64, born: FileTime?)?,
    modified: FileTime, size: UInt64, attributes: UbiquitousAttributes
  ) {
    (self.id, self.path, self.isPackage, self.node) = (id, path, isPackage, node)
    (self.modified, self.size, self.attributes) = (modified, size, attributes)
  }
}
