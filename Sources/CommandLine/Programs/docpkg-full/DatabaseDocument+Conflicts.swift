import DocumentCommands
import FilePackages
import FoundationEssentials
import GRDB
import ManagedDocuments

extension DatabaseDocument: RowConflictDocument {
  func rowConflicts() async throws -> [ShownRowConflict] {
    try await package.read { db, _ in try RowConflict.fetchAll(db) }.map(ShownRowConflict.init)
  }

  func resolveRows(taking taken: [UUID], leaving left: [UUID]) async throws -> SaveReport {
    let choices = taken.map { ($0, RowConflict.Choice.other) } + left.map { ($0, .present) }
    return try await package.editing { document in
      try await document.resolve(Dictionary(choices) { first, _ in first })
      return try await document.save()
    }
  }
}

extension ShownRowConflict {
  fileprivate init(_ conflict: RowConflict) {
    func texts(_ row: [String: DatabaseValue]?) -> [String: String]? { row?.compactMapValues(Self.text) }
    self.init(
      id: conflict.id, merged: conflict.date, table: conflict.table, kind: conflict.kind.rawValue,
      key: texts(conflict.key) ?? [:], present: texts(conflict.present), other: texts(conflict.other))
  }

  /// A value for people; nil for NULL.
  private static func text(_ value: DatabaseValue) -> String? {
    switch value.storage {
    case .null: nil
    case .int64(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): text
    case .blob(let bytes):
      bytes.prefix(8).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        + (bytes.count > 8 ? "… (\(bytes.count) bytes)" : "")
    }
  }
}
