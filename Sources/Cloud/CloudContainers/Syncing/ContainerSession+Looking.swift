import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// A look at many documents takes one thread and one transaction. It may be older than the last change of a document:
//     an upload looks again, and a download replaces only what the state knows.

/// A document that this machine knows.
package struct KnownDocument: Sendable {
  package var record: DocumentRecord
  /// The document in the container folder; nil if it is not there.
  package var local: LocalDocument?
  /// Whether it is here as `local` says. A document may be in a folder that cannot be read; and of a name that another
  /// record has, it is not known to be gone.
  var isCertain = true
  /// Whether the content here differs from the content that was here, as a listing finds it.
  package var isChanged = false

  /// Whether a program removed the document from the folder since the last run. A placeholder was not there.
  package var isRemovedHere: Bool {
    local == nil && isCertain && (record.base != nil && !record.isWanted || record.head == nil)
  }

  /// Whether files here can be the known ones.
  var hasContent: Bool { local != nil && record.base != nil }
}

extension ContainerSession {
  /// The largest number of documents of one look, and the largest number of bytes that are known of them.
  private static let lookCount = 256
  private static let lookSize = 16 << 20

  /// Looks at the first of these documents.
  ///
  /// - Returns: for each of the first documents, one at least, the look; nil if its content is not here or not known, or
  ///   if the look failed. The caller then looks by itself.
  func looks(at documents: ArraySlice<KnownDocument>) async throws -> [LocalTree?] {
    let part = documents.prefix(Self.lookCount)
    let known = part.filter(\.hasContent)
    let children = try await state.children(of: known.map(\.record.id), upTo: Self.lookSize)
    let folder = folder
    return try await BlockingThread().run { () throws in
      let time = try folder.time()
      var (looks, next) = ([LocalTree?](), children.makeIterator())
      for document in part {
        guard let local = document.local, document.hasContent else {
          looks.append(nil)
          continue
        }
        guard let known = next.next() else { break }
        let path = try folder.path(of: local.name)
        let look = {
          try LocalTree(at: path, isPackage: local.isPackage, known: known, time: time, on: folder.disk)
        }
        looks.append(try? look())  // The caller looks again, and gets the error.
      }
      return looks
    }
  }

  /// Looks at a document without waiting for any program.
  func look(_ document: LocalDocument, _ record: DocumentRecord) async throws -> LocalTree {
    try await look(at: folder.path(of: document.name), document.isPackage, record)
  }

  /// Looks at a document at a path.
  func look(at path: FilePath, _ isPackage: Bool, _ record: DocumentRecord) async throws -> LocalTree {
    let tree = try await look(at: path, isPackage, known: state.children(of: record.id))
    return try await recognized(tree, at: path, isPackage, record)
  }

  /// Returns a look at a document, as unchanged if its content is the known one in other bytes.
  func recognized(
    _ tree: LocalTree, at path: FilePath, _ isPackage: Bool, _ record: DocumentRecord
  ) async throws -> LocalTree {
    guard let sum = record.contentSum, isPackage, !tree.isUnchanged,
      let accepted = tree.accepting(PackagePath([PackageLayout.storeFolder]))
    else { return tree }
    let url = path.url(isDirectory: true)
    guard let merger = try merger(ofPackageAt: url), try await merger.sum(ofPackageAt: url) == sum else {
      return tree
    }
    return accepted
  }

  /// The rules of a package; nil if its children merge each by itself.
  func merger(ofPackageAt url: URL) throws -> (any ContentMerger)? {
    try mergers.first { try $0.merges(packageAt: url) }
  }

  /// Looks at a document at a path.
  ///
  /// - Parameter known: the content that was here.
  func look(at path: FilePath, _ isPackage: Bool, known: KnownChildren) async throws -> LocalTree {
    let folder = folder
    return try await BlockingThread().run { () throws in
      try path.attempt(.read) {
        try LocalTree(at: path, isPackage: isPackage, known: known, time: folder.time(), on: folder.disk)
      }
    }
  }
}
