import Documents
import FilePackages
public import FoundationEssentials
import SystemPackage

extension ManagedDocument {
  /// Ends conflicts of rows and files, as one edit. `RowConflict.fetchAll(_:)` lists them.
  ///
  /// The values that a row does not get are gone then, unless the edit is undone. Other machines end the same conflicts
  /// when they merge the next save of this document.
  ///
  /// - Parameter choices: for each conflict, the values that the row gets.
  /// - Throws: `RowConflictError`; as `edit(_:_:)`. Then no conflict is ended.
  public func resolve(_ choices: [RowConflict.ID: RowConflict.Choice]) async throws {
    try await edit("Resolve Conflicts") { db, content in
      var left = choices
      for conflict in try RowConflict.fetchAll(db) {
        guard let choice = left.removeValue(forKey: conflict.id) else { continue }
        let side = choice == .other ? conflict.winner.other : nil
        content.note(try ConflictTable.resolve(conflict.id, taking: side, in: db))
      }
      if let id = left.keys.first { throw RowConflictError.noSuchConflict(id) }
    }
  }

  /// Merges the rows and files of another document, as one edit, and saves it.
  ///
  /// The document serves for one merge, and is closed then. Another program may have it open.
  ///
  /// - Throws: `MergeProblem`; `DocumentError`.
  func merge(_ theirs: StoreReader, since base: FilePath) async throws -> RowMergeOutcome {
    try beginEdit(.edit)
    defer { endEdit() }
    let (outcome, head) = try await store.merge(
      theirs, since: base, at: core.clock.now().seconds,
      date: Environment.current.now().date)
    if let head {
      note(head)
      try await save()
      try await synchronize()
    }
    return outcome
  }
}
