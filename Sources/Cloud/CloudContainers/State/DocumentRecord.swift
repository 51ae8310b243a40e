package import FoundationEssentials
import GRDB
package import DurableIO

/// The knowledge of this machine about one document of the container.
package struct DocumentRecord: Sendable, Hashable, Codable, FetchableRecord, PersistableRecord {
  package static let databaseTableName = "document"

  /// The document's identity.
  package var id: String
  /// Its name on this machine, or the name that it will have.
  package var name: String
  /// The bytes of the last version that is known; nil before the first one is committed. Only the log changes it.
  package var head: Data?
  /// The content that was here, complete, and that the container has: a tree's root; nil for a placeholder.
  package var base: Data?
  /// The name that the container had when this machine last brought both together.
  package var baseName: String?
  /// The sum of that content, if the package here has it in other bytes: see `ContentMerger`.
  package var contentSum: String?
  /// Whether a program asked for the content, and it is not here. Other processes set it in the state during a run. With
  /// a base, the document was removed here before: it is no deletion.
  package var isWanted = false
  /// The conflicts that are in the package here, by name, with spaces between them.
  package var shownConflicts = ""
  /// The file or directory, to find it under another name.
  package var inode: Int64?
  package var bornSeconds: Int64?
  package var bornNanoseconds: Int64?
  /// The last error, for people.
  package var downloadingError: String?
  package var uploadingError: String?

  package init(id: CloudDocumentID, name: String) { (self.id, self.name) = (id.string, name) }

  /// The node on disk.
  package var node: DocumentNodeID? {
    get {
      guard let inode else { return nil }
      let born = bornSeconds.flatMap { seconds in
        bornNanoseconds.map { FileTime(seconds: seconds, nanoseconds: UInt32(truncatingIfNeeded: $0)) }
      }
      return DocumentNodeID(inode: UInt64(bitPattern: inode), born: born)
    }
    set {
      inode = newValue.map { Int64(bitPattern: $0.inode) }
      bornSeconds = newValue?.born?.seconds
      bornNanoseconds = newValue?.born.map { Int64($0.nanoseconds) }
    }
  }
}

/// The file or directory of a document, under any name.
///
/// The number of its device is no part of it: a disk has another one each time that it is mounted.
package struct DocumentNodeID: Sendable, Hashable {
  package var inode: UInt64
  /// The date of the node, which tells it from a later node of the same number; nil if the file system has none.
  package var born: FileTime?

  package init(inode: UInt64, born: FileTime?) { (self.inode, self.born) = (inode, born) }

  package init(_ status: FileStatus) { self.init(inode: status.identity.inode, born: status.born) }
}
