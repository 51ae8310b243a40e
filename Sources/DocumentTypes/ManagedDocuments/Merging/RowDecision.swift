import FilePackages
import GRDB

// `ours` is the database that a merge changes: the object of a `MergePolicy`. `theirs` is the store.

extension MergePolicy {
  /// The side whose values stay in a conflict.
  var winner: MergeSide {
    switch self {
    case .error, .mergeByPropertyObjectTrump, .overwrite: .ours
    case .mergeByPropertyStoreTrump, .rollback: .theirs
    }
  }

  /// Whether columns without a conflict are merged in a row with one.
  var mergesColumns: Bool { self != .overwrite && self != .rollback }
}

/// The row that a merge makes of three.
///
/// | ours | theirs | row | conflict |
/// | --- | --- | --- | --- |
/// | as base | any | theirs | no |
/// | any | as base | ours | no |
/// | any | the same | the same | no |
/// | changed | changed, no column twice with different values | both changes | no |
/// | changed | changed, a column twice | by column: the winner's; `overwrite`, `rollback`: the winner's row | `columns` |
/// | new | new, other values | as two changes of a row whose columns had no values | `columns` |
/// | changed | removed | the winner's: the row, or none | `removal` |
/// | removed | changed | the winner's: the row, or none | `removal` |
///
/// The winner is `ours` by `error`, `mergeByPropertyObjectTrump` and `overwrite`, else `theirs`. A file of the additional content
/// is one property.
struct RowDecision: Sendable, Hashable {
  var row: EncodedRow?
  var conflict: RowConflict.Kind?
  /// The positions of the columns that both sides changed.
  var columns: [Int] = []

  init(base: EncodedRow?, ours: EncodedRow?, theirs: EncodedRow?, _ policy: MergePolicy, isOneProperty: Bool)
  {
    if ours == theirs || theirs == base {
      row = ours
      return
    }
    if ours == base {
      row = theirs
      return
    }
    let winning = policy.winner == .ours ? ours : theirs
    guard let ours, let theirs else {
      (row, conflict) = (winning, .removal)
      return
    }
    let (old, mine, other) = (base?.values, ours.values, theirs.values)
    var merged = mine
    for column in mine.indices where mine[column] != other[column] {
      if let old, old[column] == mine[column] {
        merged[column] = other[column]
      } else if old == nil || old?[column] != other[column] {
        columns.append(column)
        if policy.winner == .theirs { merged[column] = other[column] }
      }
    }
    if columns.isEmpty && !isOneProperty {
      row = EncodedRow(merged)
      return
    }
    if isOneProperty { columns = mine.indices.filter { mine[$0] != other[$0] } }
    conflict = .columns
    row = policy.mergesColumns && !isOneProperty ? EncodedRow(merged) : winning
  }
}
