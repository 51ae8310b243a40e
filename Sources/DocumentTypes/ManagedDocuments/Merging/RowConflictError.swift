public import FoundationEssentials

/// The reason why a program cannot end a conflict of rows. The document then is as it was.
public enum RowConflictError: Error, Sendable, Hashable {
  /// The document has no such conflict. It was ended here, or on another machine.
  case noSuchConflict(UUID)
  /// A migration removed columns of the row.
  case otherColumns(table: String)
  /// A constraint refuses the row. The program changes the other row first.
  case constraint(table: String)
  /// A file or folder, the second value, has the name of the file or of one of its folders.
  case obstacle(path: String, String)
}

extension RowConflictError: CustomStringConvertible {
  /// The reason, as the end of a sentence.
  public var description: String {
    switch self {
    case .noSuchConflict: "the conflict is resolved already"
    case .otherColumns(let table): "table '\(table)' has other columns now"
    case .constraint(let table): "a constraint of table '\(table)' refuses the row"
    case .obstacle(let path, let obstacle): "'\(obstacle)' is in the way of '\(path)'"
    }
  }
}
