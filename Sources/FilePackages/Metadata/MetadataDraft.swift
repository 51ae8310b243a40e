import DurableIO
import FoundationEssentials
import Glibc
import SystemPackage

/// The metadata of a state that is being made, to be completed with what the state holds.
package struct MetadataDraft: Sendable {
  private var metadata: PackageMetadata
  /// The metadata of the state that it comes after; nil for a new document.
  private(set) var before: PackageMetadata?
  private let location: Location
  /// When the state is made.
  var date = Self.now
  /// Who makes it.
  var program = SavingProgram.current

  /// The state that it comes after; nil for a new document.
  var parent: UUID? { metadata.parentRevisions.first }

  /// For a new document, or for one that had no metadata and holds `summary` already.
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

  /// For the next state of a document.
  ///
  /// - Parameters:
  ///   - superseded: a state between the two that nobody saw.
  ///   - contentRevision: the state of which it has the content again.
  ///   - others: the states that it brings together with that one.
  init(
    after known: PackageMetadata, _ values: [String: PropertyListValue]?, _ location: Location,
    superseding superseded: PackageMetadata? = nil, contentRevision: UUID? = nil, merging others: [UUID] = [],
    at date: Date = Date()
  ) {
    self.date = Self.toSecond(date)
    before = known
    metadata = known
    metadata.contentRevision = contentRevision
    metadata.parentRevisions = [known.revision] + others
    metadata.revision = UUID()
    metadata.generation = (superseded ?? known).generation + 1
    if let values { metadata.applicationValues = values }
    self.location = location
  }

  /// For the next state of a document whose children are counted anew.
  init(after known: PackageMetadata, _ summary: ContentSummary, _ location: Location) {
    self.init(after: known, nil, location)
    metadata.summary = summary
  }

  /// For a copy that is a document of its own.
  init(copying known: PackageMetadata, _ values: [String: PropertyListValue]?, _ location: Location) {
    self.init(after: known, values, location)
    before = nil
    metadata.identifier = UUID()
    metadata.generation = 1
    metadata.created = Self.now
    metadata.summary = ContentSummary()
  }

  /// The metadata and its plist, once it is known what came and what went.
  func completed(
    _ change: ContentSummary
  ) throws(FilePackageError) -> (metadata: PackageMetadata, plist: [UInt8]) {
    var metadata = metadata
    metadata.summary.add(change)
    metadata.formatVersion = PackageMetadata.currentFormatVersion
    metadata.modified = date
    (metadata.generator, metadata.generatorVersion) = (program.name, program.version)
    metadata.savingComputer = Self.computerName
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

  /// This moment, to the second like every date of a plist.
  private static var now: Date { toSecond(Date()) }

  private static func toSecond(_ date: Date) -> Date {
    Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
  }

  private static var computerName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, gethostname(start, 255) == 0 else { return "" }
      buffer[255] = 0
      return String(cString: start)
    }
  }
}

extension SavePlan {
  /// The plan without what is the library's own business, and the application's values for the metadata where
  /// the tree has a `Metadata.plist` that the application wrote.
  ///
  /// - Throws: `reservedName` when the tree has something else there.
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
      // The hidden folder of the document that a copy is made of.
      case _ where base == nil && !isMetadata: continue
      default: throw FilePackageError(.reservedName, .save, StoredNode(location: location, path: step.path))
      }
    }
    return (plan, values)
  }

  /// The plan together with the writing of the metadata, over the plist of that status, if there is one.
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
