package import FoundationEssentials

/// The versions of a document that are not in its hidden folder on this machine, as `docpkg-full` tells them.
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

  /// A version that another machine keeps.
  package struct Kept: Codable, Sendable {
    package var id: String
    package var date: Date
    package var generation: Int
    package var computer: String
    /// The machine that has it.
    package var place: String

    package init(id: String, date: Date, generation: Int, computer: String, place: String) {
      (self.id, self.date, self.generation) = (id, date, generation)
      (self.computer, self.place) = (computer, place)
    }
  }

  package var stored: [Stored] = []
  package var kept: [Kept] = []
  /// The sentences of the errors.
  package var problems: [String] = []

  package init() {}
}
