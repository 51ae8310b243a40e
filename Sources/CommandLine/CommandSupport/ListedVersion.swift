package import FoundationEssentials

/// A version that a container has of a document, as `docpkg cloud versions --json` prints it.
package struct ListedVersion: Codable, Sendable {
  package var number: Int
  package var date: Date
  package var device: String
  package var size: UInt64
  package var name: String
  /// The identity of the document.
  package var id: String
  package var deleted: Bool
  /// The remarks at the end of the line: the document is deleted, or has another name than in the next version.
  package var notes: [String]

  package init(
    number: Int, date: Date, device: String, size: UInt64, name: String, id: String, deleted: Bool,
    notes: [String]
  ) {
    (self.number, self.date, self.device, self.size) = (number, date, device, size)
    (self.name, self.id, self.deleted, self.notes) = (name, id, deleted, notes)
  }
}
