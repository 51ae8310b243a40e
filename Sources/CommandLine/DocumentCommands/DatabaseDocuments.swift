import CommandSupport
import Documents
import FilePackages
import Synchronization
import SystemPackage

// SQLite's library and what comes with it would double the program. So `docpkg` has no code for documents with a
//     database. When its command line names such a document, `docpkg-full` takes its place, with the same arguments.

/// The documents with a database among those that a command line names.
package enum DatabaseDocuments {
  package typealias Opener = @Sendable (String) throws -> (any CommandDocument)?

  private static let opener = Mutex<Opener?>(nil)

  /// Makes this program one that opens such documents itself.
  ///
  /// - Parameter opener: opens the document at a path; nil if it has no database.
  package static func open(with opener: @escaping Opener) { self.opener.withLock { $0 = opener } }

  /// Ends this program for the one that opens such documents, if a command names one and this program cannot open it.
  ///
  /// A command has done nothing by then.
  package static func handOver(_ command: Any) throws {
    if let command = command as? any DocumentCommand { try handOver(anyOf: command.documents) }
  }

  /// Ends this program for the one that opens such documents, if one of these is such a document.
  static func handOver(anyOf paths: some Sequence<String>) throws {
    if opener.withLock({ $0 == nil }), try paths.contains(where: hasDatabase) {
      Companion.handOver()
    }
  }

  /// Opens the document at a path; nil if it has no database.
  fileprivate static func open(_ path: String) throws -> (any CommandDocument)? {
    if let opener = opener.withLock(\.self) { return try opener(path) }
    try handOver(anyOf: CollectionOfOne(path))
    return nil
  }
}

/// A command that handles documents of every kind.
protocol DocumentCommand {
  /// The paths of the documents.
  var documents: [String] { get }
}

extension DocumentCommand where Self: CoordinatedCommand {
  var documents: [String] { [path] }
}

/// Returns the document at a path.
///
/// For a path that is no package the document's functions have the error.
func document(at path: String) throws -> any CommandDocument {
  try DatabaseDocuments.open(path) ?? PackageDocument(path)
}

/// Returns the document at a path if it has a database.
func databaseDocument(at path: String) throws -> (any CommandDocument)? {
  try DatabaseDocuments.open(path)
}

/// Returns the package at a path, for a command that needs its versions.
///
/// - Throws: `InputError` for a document with a database, which keeps none.
func packageWithVersions(at path: String) throws -> PackageDocument {
  if try hasDatabase(path) {
    throw InputError(
      description:
        "'\(display(path))' has a database and keeps no versions; 'docpkg copy' keeps a state of it.")
  }
  return PackageDocument(path)
}

/// Returns whether the document at a path has a database.
///
/// For a path where nothing is, or that this user cannot open, the command has the error.
func hasDatabase(_ path: String) throws -> Bool {
  do {
    return try FolderSigns.showDatabase(inFolderAt: FilePath(of: url(path), for: .open))
  } catch {
    if error.code == .permissionDenied { return false }
    throw error
  }
}
