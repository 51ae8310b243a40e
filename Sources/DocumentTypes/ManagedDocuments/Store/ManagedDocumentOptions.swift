public import Documents
package import DurableIO
import FilePackages
public import GRDB
import Glibc

/// The options of a document with a database.
@dynamicMemberLookup
public struct ManagedDocumentOptions: Sendable {
  /// The options of every open document, such as `autosave` and `errorHandler`.
  public var behaviour = DocumentBehaviour()
  /// The name of the database's file in `StoreContent`. It must not change during the document's life.
  public var persistentStoreName = PackageLayout.usualStore.string
  /// The schema of the database and its changes. Opening a document runs the migrations that are missing.
  ///
  /// Each table needs a primary key without NULL. Without a migrator, opening neither changes nor checks the schema. A
  /// tool that opens documents of any application needs that.
  public var migrator: DatabaseMigrator?
  /// The configuration of all connections. By default a connection waits ten seconds for another program's
  /// transaction.
  public var configuration: Configuration
  /// The rule for rows that another program changed after the edit that is undone, redone or reverted.
  public var mergePolicy = MergePolicy.error
  /// The limits of undoing; nil for a document that cannot undo and cannot revert, which makes edits cheaper.
  public var undo: UndoPolicy? = UndoPolicy()
  /// Whether the next program that opens the document alone can undo the edits of this one.
  public var keepsUndoAfterClosing = false
  /// The type of a new document; nil for the type of its name, which is `.package` if no type has its extension.
  public var contentType: UTType?
  /// The function that gets the progress of that download, from any thread.
  public var downloadHandler: (@Sendable (_ completedBytes: UInt64, _ totalBytes: UInt64) -> Void)?

  /// The disk for the package's files; SQLite has its own way to the database.
  package var disk: any Disk = PosixDisk()

  /// The path of the database in the package.
  var databasePath: String { "\(PackageLayout.storeFolder.string)/\(persistentStoreName)" }

  /// Makes the usual options.
  public init(migrator: DatabaseMigrator? = nil) {
    self.migrator = migrator
    configuration = Configuration()
    configuration.busyMode = .waiting
  }

  /// An option of every open document.
  public subscript<Value>(dynamicMember member: WritableKeyPath<DocumentBehaviour, Value>) -> Value {
    get { behaviour[keyPath: member] }
    set { behaviour[keyPath: member] = newValue }
  }
}

extension Database.BusyMode {
  /// Waits ten seconds or longer for the transactions of other programs.
  ///
  /// It soon looks a hundred times a second. SQLite's own waiting looks ten times a second, and may find no gap between the
  /// transactions of a program that writes without a pause.
  static let waiting = Database.BusyMode.callback { tries in
    usleep(tries < 10 ? 1_000 : 10_000)
    return tries < 1_000
  }
}
