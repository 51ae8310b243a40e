import CommandSupport
import FilePackages
import FoundationEssentials
import ManagedDocuments

extension ManagedSummary {
  /// The keys of `DatabaseContents` with `--json`.
  var values: [String: PropertyListValue] {
    let rows = tables.map { ($0.name, PropertyListValue.integer(Int64($0.rows))) }
    return [
      "ByteCount": .integer(Int64(size)), "Tables": .dictionary(Dictionary(uniqueKeysWithValues: rows)),
      "FileCount": .integer(Int64(fileCount)), "FileByteCount": .integer(Int64(fileSize)),
      "UndoCount": .integer(Int64(undoCount)), "HasUnsavedChanges": .boolean(hasUnsavedChanges),
      "IsOpen": .boolean(isOpen),
    ]
  }

  var lines: [String] {
    let rows = tables.map { "\(display($0.name)) (\($0.rows) row\($0.rows == 1 ? "" : "s"))" }
    return [
      "database: \(SaveReport.bytes(UInt64(size)))",
      "tables: \(rows.isEmpty ? "none" : rows.joined(separator: ", "))",
      "additional content: \(fileCount) file\(fileCount == 1 ? "" : "s"), \(SaveReport.bytes(UInt64(fileSize)))",
      "undo: \(undoCount) step\(undoCount == 1 ? "" : "s")",
      "unsaved changes: \(hasUnsavedChanges ? "yes" : "no")",
      "open: \(isOpen ? "yes, in another program" : "no")",
    ]
  }
}
