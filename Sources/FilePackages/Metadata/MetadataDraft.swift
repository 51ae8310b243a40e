import DurableIO
import FoundationEssentials
import Glibc
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
  var program = SavingProgram.current

  /// The state before; nil for a new document.
  var parent: UUID? { metadata.parentRevisions.first }

  /// Makes a draft for a new document, or for one that had no metadata and already holds `summary`.
  init(
    new contentType: String?, _ values: [String: PropertyListValue], _ location: Location,
    over summary: ContentSummary = ContentSummary()
  ) {
    metadata = PackageMetadata(applicationValues: values)
    metadata.created = Self.now
    metadata.contentType = contentType
    metadata.summary = summary
    self.location = location
  }

  /// Makes a draft for the next state of a document.
  ///
  /// - Parameters:
  ///   - superseded: a state between the two that no program saw.
  ///   - contentRevision: the earlier state whose content this state repeats.
  ///   - others: the states that this state merges with the state before.
  init(
    after known: PackageMetadata, _ values: [String: PropertyListValue]?, _ location: Location,
    superseding superseded: PackageMetadata? = nil, contentRevision: UUID? = nil, merging others: [UUID] = [],
    at date: Date = Surroundings.current.now().date
  ) {
    self.date = Self.toSecond(date)
    before = known
    metadata = known
    metadata.contentRevision = contentRevision
    metadata.parentRevisions = [known.revision] + others
    metadata.revision = .new
    metadata.generation = (superseded ?? known).generation + 1
    if let values { metadata.applicationValues = values }
    self.location = location
  }

  /// Makes a draft for the next state of a document whose children are counted anew.
  init(after known: PackageMetadata, _ summary: ContentSummary, _ location: Location) {
    self.init(after: known, nil, location)
    metadata.summary = summary
  }

  /// Makes a draft for a copy that is a document of its own.
  init(copying known: PackageMetadata, _ values: [String: PropertyListValue]?, _ location: Location) {
    self.init(after: known, values, location)
    before = nil
    metadata.identifier = .new
    metadata.generation = 1
    metadata.created = Self.now
    metadata.summary = ContentSummary()
  }

  /// Returns the metadata and its plist after adding the changes of the save.
  func completed(
    _ change: ContentSummary
  ) throws(FilePackageError) -> (metadata: PackageMetadata, plist: [UInt8]) {
    var metadata = metadata
    metadata.summary.add(change)
    metadata.formatVersion = PackageMetadata.currentFormatVersion
    metadata.modified = date
    (metadata.generator, metadata.generatorVersion) = (program.name, program.version)
    metadata.savingComputer = Surroundings.current.computer()
    let plist: [UInt8]
    do {
      plist = Array(try metadata.encoded())
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
  private static var now: Date { toSecond(Surroundings.current.now().date) }

  private static func toSecond(_ date: Date) -> Date {
    Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
  }
}

extension SavePlan {
  /// Returns the plan without the library's own files, and the application's values for the metadata.
  ///
  /// The values are nil unless the tree has a `Metadata.plist` that the application wrote.
  ///
  /// - Throws: `reservedName` if the tree has any other node at a place of the library.
  func withoutOurs(
    at location: Location
  ) throws(FilePackageError) -> (plan: SavePlan, values: [String: PropertyListValue]?) {
    var plan = self
    var values: [String: PropertyListValue]?
    plan.steps.removeAll { PackageLayout.isOurs($0.path) }
    for step in steps where PackageLayout.isOurs(step.path) {
      let isMetadata = step.path.names == [PackageLayout.metadata]
      switch step.action {
      case .write(let contents) where isMetadata:
        values = try Self.applicationValues(contents, step.path, location)
      case .reuse(let source) where source.path == step.path: continue
      case .reuse(let source) where isMetadata:
        values = try Self.applicationValues(.stored(source), step.path, location)
      case .remove where isMetadata: continue
      // The hidden folder of the original of a copy.
      case _ where base == nil && !isMetadata: continue
      default: throw FilePackageError(.reservedName, .save, StoredNode(location: location, path: step.path))
      }
    }
    return (plan, values)
  }

  /// Returns the plan with a step that writes the metadata over the plist of that status, if there is one.
  func writingMetadata(over known: FileStatus?) -> SavePlan {
    var plan = self
    plan.steps.append(
      Step(
        path: PackagePath([PackageLayout.metadata]), action: .writeMetadata, attributes: .newFile(),
        replaced: known.map(Replaced.init)))
    plan.steps.sort { $0.path < $1.path }
    return plan
  }

  private static func applicationValues(
    _ contents: FileContents, _ path: PackagePath, _ location: Location
  ) throws(FilePackageError) -> [String: PropertyListValue] {
    guard contents.size.map({ $0 <= UInt64(PackageMetadata.maximumSize) }) ?? true,
      let data = try? contents.data(), PropertyListShape.isBounded(data),
      let values = try? PropertyListDecoder().decode([String: PropertyListValue].self, from: data)
    else {
      throw FilePackageError(
        .reservedName, .save, StoredNode(location: location, path: path),
        reason: "'Metadata.plist' is the document's own and has to be a property list")
    }
    let own = Set(PackageMetadata.Key.allCases.filter { $0 != .displayName }.map(\.rawValue))
    return values.filter { !own.contains($0.key) }
  }
}
