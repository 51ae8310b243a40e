/// The rule for rows that another program changed after the edit that is undone, redone or reverted.
///
/// The names are those of Core Data's `NSMergePolicy`. The store is the database with the other program's changes; the
/// object is the state that the undo, redo or revert restores. Columns that only one side changed are never in
/// conflict: both changes stay.
public enum MergePolicy: String, Sendable, Hashable, CaseIterable {
  /// Nothing is undone, and the call throws an error that names the table.
  case error
  /// In a conflict, each column that both sides changed stays as the other program left it.
  case mergeByPropertyStoreTrump
  /// In a conflict, each column that both sides changed gets its earlier value.
  case mergeByPropertyObjectTrump
  /// In a conflict, the row gets its earlier values or is removed, whatever the other program changed in it.
  case overwrite
  /// In a conflict, the whole row stays as the other program left it.
  case rollback
}
