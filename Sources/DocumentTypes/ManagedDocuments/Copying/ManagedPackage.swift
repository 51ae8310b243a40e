public import Documents
import DurableIO
import FilePackages
public import FoundationEssentials
public import GRDB
import SystemPackage

/// A document with a database, for a program that only reads it and need not know its schema.
///
/// It reads closed documents, and documents that other programs have open. Each call sees rows and files of one moment,
/// with all edits that were committed before, saved or not.
///
/// ```swift
/// if let package = try ManagedPackage(at: url) {
///   let report = try await package.verify()
///   try await package.copy(to: other)
/// }
/// ```
public struct ManagedPackage: Sendable {
  /// The document's place.
  public let url: URL
  let reader: StoreReader

  /// Finds the database of the document at `url`; nil if the package has none.
  ///
  /// - Throws: `file` if nothing is there, if it is not a package, or if its metadata cannot be read.
  public init?(at url: URL) throws(DocumentError) {
    do {
      let location = Location(try FilePath(of: url, for: .open), on: PosixDisk())
      let metadata = try PackageMetadata.read(from: location.path, on: location.disk)
      guard let path = try metadata?.databasePath.map({ PackagePath($0) }) ?? Self.usualDatabase(location)
      else {
        return nil
      }
      (self.url, reader) = (url, StoreReader(location: location, database: path))
    } catch {
      throw DocumentError(managed: error, .open, url, store: "")
    }
  }

  init(_ url: URL, databasePath: String) throws(DocumentError) {
    do {
      let location = Location(try FilePath(of: url, for: .open), on: PosixDisk())
      (self.url, reader) = (url, StoreReader(location: location, database: PackagePath(databasePath)))
    } catch {
      throw DocumentError(managed: error, .open, url, store: "")
    }
  }

  /// A document of a program that wrote no path of a database has it in its usual place.
  private static func usualDatabase(_ location: Location) throws -> PackagePath? {
    let path = PackagePath(ManagedDocumentOptions().databasePath)
    do {
      return try StoreReader(location: location, database: path).read { _, _ in path }
    } catch let error as SystemError where error.isAbsence {
      return nil
    } catch let error as FilePackageError where error.code == .noSuchFile {
      return nil
    } catch let error as DatabaseError
      where [.SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_ERROR].contains(error.resultCode)
    {
      // Another program's file.
      return nil
    }
  }

  // MARK: Reading

  /// Calls `body` with the database and the files of one moment, once or twice: only its last result counts.
  ///
  /// - Throws: `file`; any error of `body`.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database, AdditionalContent) throws -> Result
  ) async throws -> Result {
    do {
      return try await BlockingThread().run { [reader] in try reader.read(body) }
    } catch {
      throw DocumentError(ofDisk: error, .open, url, store: store) ?? error
    }
  }

  /// Returns a sum over the schema, all rows and all files: 64 hexadecimal digits.
  ///
  /// It is equal for equal rows and files, whatever the pages of the database are, and differs otherwise. It detects
  /// accidents; an attacker can forge a sum.
  ///
  /// Cost: reads every row. It reads no file: the rows have their digests.
  ///
  /// - Throws: `file`.
  public func contentDigest() async throws(DocumentError) -> String {
    try await failing { try await read { db, _ in try RowDigest.hexadecimal(of: db) } }
  }

  /// Compares the files with their rows and the sums, and lets SQLite check the database.
  ///
  /// Cost: reads all files and all pages. An open document publishes no save meanwhile, but can be edited and saved.
  ///
  /// - Throws: `file` if the database cannot be opened, or if another program holds the package's lock for ten seconds.
  public func verify() async throws(DocumentError) -> VerificationReport {
    try await failing {
      try await BlockingThread().run { [reader] in try ManagedVerification(reader: reader).verify() }
    }
  }

  // MARK: Copying

  /// Calls `body` with the document at one moment as a frozen tree, unsaved edits included: to export it, for example.
  ///
  /// The tree has the database as one file without a log, and nothing that can be undone. No save is published
  /// meanwhile. Files that other programs put into `AdditionalContent` are not part of the document.
  ///
  /// ```swift
  /// let report = try await package.withSnapshot { try await $0.export(to: url, as: .zip) }
  /// ```
  ///
  /// Cost: a copy of the database in the folder for temporary files, and a look at each file.
  ///
  /// - Throws: `file`; any error of `body`.
  public func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PackageSnapshot) async throws -> Result
  ) async throws -> Result {
    try await withTree { try await body($0.snapshot()) }
  }

  /// Calls `body` with the document at one moment as a tree.
  package func withTree<Result: Sendable>(
    _ body: @Sendable (FileWrapper) async throws -> Result
  ) async throws -> Result {
    let snapshot = try await snapshot()
    defer { snapshot.end() }
    return try await body(snapshot.tree)
  }

  /// Saves the document at one moment, unsaved edits included, as a new document at `url` with an identifier of its own.
  ///
  /// The copy has nothing to undo. Its files share blocks with the originals if the file system can share them.
  ///
  /// - Throws: `file`: `fileExists` if there is something at `url`; `changedOnDisk` if another program changed a file
  ///   of the document.
  @discardableResult
  public func copy(to url: URL) async throws(DocumentError) -> SaveReport {
    try await copy(to: url, progress: ByteProgress())
  }

  /// Returns the plan of `copy(to:)`, without touching anything.
  package func copyPlan(to url: URL) async throws(DocumentError) -> SavePlan {
    try await copying {
      try PackageStore.plan($0.tree, copying: $0.metadata, at: FilePath(of: url, for: .copy))
    }
  }

  /// - Parameter progress: the progress of the copy.
  package func copy(to url: URL, progress: ByteProgress) async throws(DocumentError) -> SaveReport {
    try await copying {
      try PackageStore.create(
        $0.tree, copying: $0.metadata, at: FilePath(of: url, for: .copy), progress: progress)
    }
  }

  private func copying<Result: Sendable>(
    _ body: @escaping @Sendable (ManagedSnapshot) throws -> Result
  ) async throws(DocumentError) -> Result {
    try await failing {
      let snapshot = try await snapshot()
      defer { snapshot.end() }
      return try await BlockingThread().run { try body(snapshot) }
    }
  }

  private func snapshot() async throws(DocumentError) -> ManagedSnapshot {
    try await failing { try await BlockingThread().run { [reader] in try ManagedSnapshot.take(reader) } }
  }

  // MARK: Errors

  private var store: String { reader.database.name?.string ?? "" }

  func failing<Result: Sendable>(
    _ body: () async throws -> Result
  ) async throws(DocumentError) -> Result {
    do {
      return try await body()
    } catch {
      throw DocumentError(managed: error, .open, url, store: store)
    }
  }
}
