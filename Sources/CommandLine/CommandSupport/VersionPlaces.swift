package import FoundationEssentials

/// The versions that the container has of a document, as `docpkg-full` prints them.
package struct VersionPlaces: Codable, Sendable {
  /// A version that the container has.
  package struct Stored: Codable, Sendable {
    package var number: Int
    package var date: Date
    package var computer: String
    package var size: UInt64
    /// A remark at the end of the line: the document is deleted, or has another name.
    package var notes: [String]

    package init(number: Int, date: Date, computer: String, size: UInt64, notes: [String]) {
      (self.number, self.date, self.computer, self.size, self.notes) = (number, date, computer, size, notes)
    }
  }

  package var stored: [Stored] = []
  /// The sentences of the errors.
  package var problems: [String] = []

  package init() {}
}
