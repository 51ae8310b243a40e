package import Documents
import DurableIO
import FilePackages
package import FoundationEssentials
import GRDB
import SystemPackage

/// The merging of documents with a database, row by row, for a program that does not know their applications.
///
/// The policy is the one that the document keeps (`KeptPolicy`). By the policy `error`, which is that of a document
/// without one, the values here stay, and the document lists each conflict.
package struct DatabaseMerger: ContentMerger {
  package init() {}

  package func merges(packageAt url: URL) throws -> Bool {
    guard try FolderSigns.showDatabase(inFolderAt: FilePath(lossless: url.path)) else { return false }
    return try ManagedPackage(at: url) != nil
  }

  package func settle(packageAt url: URL) async throws {
    try await package(url).editing { try await $0.savePresentedItemChanges() }
  }

  package func sum(ofPackageAt url: URL) async throws -> String {
    try await package(url).read { db, _ in try Self.sum(of: db) }
  }

  /// The rows, the files and the open conflicts: a conflict that was resolved is a change, too.
  private static func sum(of db: Database) throws -> String {
    let conflicts = try ConflictTable.all(in: db).map(\.id.uuidString).sorted()
    let text = ([try RowDigest.hexadecimal(of: db)] + conflicts).joined(separator: " ")
    var bytes = Array(text.utf8)
    return bytes.withUnsafeMutableBytes {
      Data(ContentHash(of: UnsafeRawBufferPointer($0)).bytes).hexadecimal
    }
  }

  package func merge(
    _ theirs: URL, since base: URL, intoPackageAt url: URL
  ) async throws -> MergedContent {
    let package = try package(url)
    let (other, old) = (try reader(theirs, like: package), try reader(base, like: package))
    for reader in [other, old] { try await BlockingThread().run { try Self.emptyLog(of: reader) } }
    let theirSum = try await BlockingThread().run { try other.read { db, _ in try Self.sum(of: db) } }
    let outcome: RowMergeOutcome
    do {
      outcome = try await package.editing { document in
        try await document.merge(other, since: old.location.path.appending(old.database.string))
      }
    } catch let problem as MergeProblem {
      throw UnmergeableContent(problem.reason)
    }
    let isTheirs = try await sum(ofPackageAt: url) == theirSum
    return MergedContent(theirSum: theirSum, isTheirs: isTheirs, conflicts: outcome.conflicts.count)
  }

  /// - Throws: `UnmergeableContent` if the copy has no database at the place of the document's.
  private func reader(_ copy: URL, like package: ManagedPackage) throws -> StoreReader {
    let location = Location(try FilePath(of: copy, for: .open), on: PosixDisk())
    let reader = StoreReader(location: location, database: package.reader.database)
    guard let name = reader.database.name else { return reader }
    do throws(SystemError) {
      let folder = try location.openDirectory(reader.database.parent)
      if try location.disk.exists(name, in: folder) { return reader }
    } catch {
      // A failed look is no version without a database.
      if !error.isAbsence { throw error }
    }
    throw UnmergeableContent("a version has no database '\(reader.database.display)'")
  }

  /// Brings a log into the file of a private copy, so that SQLite reads the file alone.
  private static func emptyLog(of reader: StoreReader) throws {
    let path = reader.location.path.appending(reader.database.string).string
    try DatabaseQueue.using(path) { queue in try queue.read { db in try PrivateTables.check(db) } }
  }

  private func package(_ url: URL) throws -> ManagedPackage {
    guard let package = try ManagedPackage(at: url) else {
      throw FilePackageError(.noSuchFile, .open, document: url.path, reason: "it has no database")
    }
    return package
  }
}
