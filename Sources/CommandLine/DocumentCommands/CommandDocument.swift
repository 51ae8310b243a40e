import CommandSupport
package import FilePackages
import FoundationEssentials

/// A document as the commands see it: a command reads its arguments, calls one of these functions, and prints.
///
/// The conformances are `PackageDocument`, and one for documents with a database, which another program has.
package protocol CommandDocument: Sendable {
  /// Returns the output of `info`.
  func info() async throws -> DocumentInfo

  /// Calls `body` with the bytes of a child, one piece after the other.
  func read(_ child: String, _ body: @Sendable (UnsafeRawBufferPointer) -> Void) async throws

  /// Changes children in one save, or plans that.
  func edit(_ changes: ChildChanges, dryRun: Bool) async throws -> Outcome<SaveReport>

  /// Compares the document with another one.
  func differences(to other: String) async throws -> FoundDifferences

  func verify() async throws -> VerificationReport

  /// Copies the document, or plans that.
  func copyPlan(to destination: String, withHistory: Bool) async throws -> SavePlan
  func copy(to destination: String, withHistory: Bool) async throws -> SaveReport

  /// Calls `body` with a frozen tree of one moment.
  func withSnapshot<Result: Sendable>(
    _ body: @Sendable (PackageSnapshot) async throws -> Result
  ) async throws -> Result

  /// Calls `body` with a tree of one moment, in which a database is one file and has no log beside it.
  func withTree<Result: Sendable>(
    _ body: @Sendable (FileWrapper) async throws -> Result
  ) async throws -> Result

  /// Brings the document to the end of a save that was committed.
  func publish() async throws

  /// Returns the present state and the versions, the newest first.
  func versions() async throws -> [ShownVersion]
}

/// The plan of a dry run, or the report of the work.
package enum Outcome<Report: Sendable>: Sendable {
  case planned([PlannedStep])
  case done(Report)
}

/// The output of `info`.
package struct DocumentInfo: Sendable {
  /// The metadata, and the facts of this kind of document, as JSON has them.
  package var values: [String: PropertyListValue]
  /// The same for people.
  package var lines: [String]

  package init(values: [String: PropertyListValue], lines: [String]) {
    (self.values, self.lines) = (values, lines)
  }
}

/// Changes of children by their paths.
package struct ChildChanges: Sendable {
  package var removed: [String]
  /// The children to write, each with the path of a file that has the bytes; `-` is standard input.
  package var written: [(name: String, file: String)]
  /// Whether to replace and remove what is read-only, and to replace folders.
  package var isForced = false
  /// Whether a document without a history gets one.
  package var beginsHistory = true

  package var saving: SavingOptions {
    var options: SavingOptions = beginsHistory ? [.keepsHistory, .cancellable] : .cancellable
    if isForced { options.insert(.overwritesReadOnly) }
    return options
  }
}

/// The differences that `diff` shows.
package struct FoundDifferences: Sendable {
  package var json: any Encodable & Sendable
  package var text: String
  /// One line for each child.
  package var lines: String
  /// The children that cannot be compared.
  package var lost: [String] = []
  package var isEmpty: Bool

  package init(
    json: any Encodable & Sendable, text: String, lines: String, lost: [String] = [], isEmpty: Bool
  ) {
    (self.json, self.text, self.lines, self.lost, self.isEmpty) = (json, text, lines, lost, isEmpty)
  }
}

/// A version in the list.
package struct ShownVersion: Encodable, Sendable {
  /// The version in one line.
  private(set) var line: String
  /// The identifier; nil for a version of the container, which has a number.
  var id: String?
  var number: Int?
  var generation: Int?
  var modified: Date
  var savingComputer: String
  /// The place of the version, if the document is in a container folder.
  var place: String?
  var current = false
  var bytes: UInt64?
  /// The bytes of the whole document, of a version of the container.
  var size: UInt64?
  var discardable: Bool?
  var changed: [String]?

  /// Makes the present state.
  package init(_ current: PackageMetadata) {
    self.init(current, isCurrent: true, line: "* " + current.line)
  }

  init(_ version: FileVersion) {
    self.init(version.metadata, line: "\(version)")
    (bytes, discardable, changed) = (version.keptBytes, version.isDiscardable, version.differences)
  }

  /// Makes a version.
  ///
  /// - Parameter line: the version in one line.
  package init(_ metadata: PackageMetadata, line: String) {
    self.init(metadata, isCurrent: false, line: "  \(line)")
  }

  private init(_ metadata: PackageMetadata, isCurrent: Bool, line: String) {
    self.line = line
    id = metadata.revision.uuidString
    generation = metadata.generation
    modified = metadata.modificationDate
    savingComputer = metadata.savingComputer
    (current, bytes, discardable, changed) = (isCurrent, 0, false, [])
  }

  /// Makes a version that the container has.
  init(_ version: ListedVersion) {
    let number = String(version.number)
    let notes = version.notes.isEmpty ? "" : " (\(version.notes.joined(separator: "; ")))"
    line = "  \(String(repeating: " ", count: max(0, 8 - number.count)))\(number)"
    line += "  \(localTime(version.date))  \(SaveReport.bytes(version.size))\(notes)"
    (self.number, modified, savingComputer) = (version.number, version.date, version.device)
    size = version.size
    note(place: "the container", "in the container")
  }

  /// Returns the version with its computer and its place.
  func onThisComputer() -> ShownVersion {
    var version = self
    version.note(place: "this computer", "on this computer")
    return version
  }

  private mutating func note(place: String, _ words: String) {
    self.place = place
    line += savingComputer.isEmpty ? "  \(words)" : "  by \(display(savingComputer)), \(words)"
  }

  private enum CodingKeys: String, CodingKey {
    case id, number, generation, modified, savingComputer, place, current, bytes, size, discardable, changed
  }
}
