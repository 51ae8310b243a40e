import DurableIO
package import FileTrees
package import FoundationEssentials
import Glibc
package import PackageFormat
import SystemPackage

/// The metadata of a state in preparation; the summary of its children completes them.
package struct MetadataDraft: Sendable {
  private var metadata: PackageMetadata
  /// The metadata of the state before; nil for a new document.
  private(set) var before: PackageMetadata?
  private let location: Location
  /// The date of the new state.
  var date = Self.now
  /// The program that makes the state.
  package var program = SavingProgram.current

  /// The path of the document's database in the package; nil for a document without one.
  var databasePath: String? {
    get { metadata.databasePath }
    set { metadata.databasePath = newValue }
  }

  /// Whether no save begins a history of the document.
  var keepsNoHistory: Bool {
    get { metadata.keepsNoHistory }
    set { metadata.keepsNoHistory = newValue }
  }

  /// The children that the sums leave out.
  var uncounted: Set<PackagePath> { metadata.uncounted }

  /// The state before; nil for a new document.
  var parent: UUID? { metadata.parentRevisions.first }

  /// Makes a draft for a new document, or for one that had no metadata and already holds `summary`.
  init(
    new contentType: UTType?, _ values: [String: PropertyListValue], _ location: Location,
    over summary: ContentSummary = ContentSummary()
  ) {
    metadata = PackageMetadata(applicationValues: values)
    metadata.creationDate = Self.now
    metadata.contentType = contentType
    metadata.summary = summary
    self.location = location
  }

  /// Makes a draft for the next state of a document.
  ///
  /// - Parameters:
  ///   - contentRevision: the earlier state whose content this state repeats.
  ///   - others: the states that this state merges with the state before.
  package init(
    after known: PackageMetadata, _ values: [String: PropertyListValue]?, _ location: Location,
    contentRevision: UUID? = nil, merging others: [UUID] = [],
    at date: Date = Environment.current.now().date
  ) {
    self.date = Self.toSecond(date)
    before = known
    metadata = known
    metadata.contentRevision = contentRevision
    metadata.parentRevisions = [known.revision] + others
    metadata.revision = .new
    metadata.generation = known.generation + 1
    if let values { metadata.applicationValues = values }
    self.location = location
  }

  /// Makes a draft for the next state of a document whose children are counted anew.
  package init(after known: PackageMetadata, _ summary: ContentSummary, _ location: Location) {
    self.init(after: known, nil, location)
    metadata.summary = summary
  }

  /// Makes a draft for a copy that is a document of its own.
  init(copying known: PackageMetadata, _ values: [String: PropertyListValue]?, _ location: Location) {
    self.init(after: known, values, location)
    before = nil
    metadata.identifier = .new
    metadata.generation = 1
    metadata.creationDate = Self.now
    metadata.summary = ContentSummary()
  }

  /// Returns the metadata and its plist after adding the changes of the save.
  package func completed(
    _ change: ContentSummary
  ) throws(FilePackageError) -> (metadata: PackageMetadata, plist: [UInt8]) {
    var metadata = metadata
    metadata.summary.add(change)
    metadata.formatVersion = PackageMetadata.currentFormatVersion
    metadata.modificationDate = date
    (metadata.generator, metadata.generatorVersion) = (program.name, program.version)
    metadata.savingComputer = Environment.current.computer()
    let plist: [UInt8]
    do {
      plist = try metadata.encodedBytes()
    } catch {
      throw invalid("a value cannot be written: \(error)")
    }
    guard plist.count <= PackageMetadata.maximumSize else {
      throw invalid(PackageMetadata.Problem.tooLarge.words)
    }
    return (metadata, plist)
  }

  private func invalid(_ reason: String) -> FilePackageError {
    FilePackageError(
      .invalidContent, .save, document: FileName(location.path).string, child: PackageLayout.metadata.string,
      reason: reason)
  }

  /// The current date, to the second like every date of a plist.
  private static var now: Date { toSecond(Environment.current.now().date) }

  private static func toSecond(_ date: Date) -> Date {
    Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
  }
}
