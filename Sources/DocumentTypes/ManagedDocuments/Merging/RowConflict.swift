import DurableIO
import FilePackages
public import FoundationEssentials
public import GRDB

/// A row or file that two machines changed in different ways, with the values of each.
///
/// A merge in a container makes it. The merge policy decides which values are in place. The conflict has the other values
/// until a program ends it. Each machine has the same conflicts.
///
/// ```swift
/// for conflict in try await book.read({ db, _ in try RowConflict.fetchAll(db) }) {
///   print(conflict.table, conflict.key, conflict.present ?? [:], conflict.other ?? [:])
///   try await book.resolve([conflict.id: .other])
/// }
/// ```
public struct RowConflict: Sendable, Hashable, Identifiable {
  /// The kind of a conflict.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Both machines changed a column, or inserted a row, with other values.
    case columns
    /// One machine removed the row, the other one changed it.
    case removal
    /// The machines have two rows with the same unique value.
    case unique
    /// The row with the changes of both machines violates a CHECK.
    case check
    /// One machine removed the row to which a row of the other machine refers.
    case foreignKey
    /// One machine has a file where the other one has a folder.
    case path
  }

  /// The values that a row gets at the end of a conflict.
  public enum Choice: Sendable, Hashable, CaseIterable {
    /// The row stays as it is now.
    case present
    /// The row gets the values of `other` in the columns that are in conflict, or goes if `other` is nil.
    case other
  }

  /// The row after the merge.
  package enum Outcome: String, Sendable, Hashable {
    case ours, theirs
    /// Some columns are of one side and some of the other, or a foreign key is NULL now.
    case merged
  }

  /// The identifier, which is the same on each machine.
  public let id: UUID
  /// The time of the merge.
  public let date: Date
  /// The name of the row's table in the database.
  package let storedTable: String
  /// The kind of the conflict.
  public let kind: Kind
  package let outcome: Outcome
  /// The side whose values stay, by the policy of the merge.
  package let winner: MergeSide
  /// The names of all columns.
  package let columns: [String]
  /// The names of the key's columns.
  let keyColumns: [String]
  /// The columns that both machines changed; empty if the whole row is in conflict.
  public let changedColumns: [String]
  /// The rows; nil if there is none.
  let baseRow: EncodedRow?
  let oursRow: EncodedRow?
  let theirsRow: EncodedRow?

  /// Returns the conflicts of a document that are not ended, the oldest first.
  ///
  /// `ManagedDocument.read(_:)` and `observe(_:)` give the database.
  ///
  /// - Throws: `DatabaseError`.
  public static func fetchAll(_ db: Database) throws -> [RowConflict] { try ConflictTable.all(in: db) }

  /// The name of the row's table; `AdditionalContent` for a file, whose key is its `path`.
  public var table: String {
    storedTable == PrivateTables.content ? ContentObjects.contentFolder.string : storedTable
  }

  /// The values of the row's primary key, by column.
  public var key: [String: DatabaseValue] {
    let values = (oursRow ?? theirsRow ?? baseRow).flatMap(named) ?? [:]
    return values.filter { keyColumns.contains($0.key) }
  }

  /// The values that both machines had before, by column; nil if there was no row.
  public var base: [String: DatabaseValue]? { baseRow.flatMap(named) }
  /// The row of the machine that won, by column; nil if it had no row. The merge may have put columns that only the other
  /// machine changed beside them, and a later edit may have changed the row.
  public var present: [String: DatabaseValue]? { row(winner).flatMap(named) }
  /// The row of the other machine, by column; nil if it had no row.
  public var other: [String: DatabaseValue]? { row(winner.other).flatMap(named) }

  private func named(_ row: EncodedRow) -> [String: DatabaseValue] {
    Dictionary(zip(columns, row.values.map(\.databaseValue))) { first, _ in first }
  }

  func row(_ side: MergeSide) -> EncodedRow? { side == .ours ? oursRow : theirsRow }

  /// The values in the database that the merge changed, by column; nil if it had no row.
  package var ours: [String: DatabaseValue]? { oursRow.flatMap(named) }
  /// The values in the other database, by column; nil if it had no row.
  package var theirs: [String: DatabaseValue]? { theirsRow.flatMap(named) }
}
