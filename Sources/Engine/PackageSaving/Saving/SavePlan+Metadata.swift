import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat

extension SavePlan {
  /// Returns the plan without the library's own files, and the application's values for the metadata.
  ///
  /// The values are nil unless the tree has a `Metadata.plist` that the application wrote for them.
  ///
  /// - Parameter role: the role of `Metadata.plist` in the tree.
  /// - Throws: `reservedName` if the tree has any other node at a place of the library.
  func withoutOurs(
    at location: Location, _ role: MetadataRole
  ) throws(FilePackageError) -> (plan: SavePlan, values: [String: PropertyListValue]?) {
    var plan = self
    var values: [String: PropertyListValue]?
    plan.steps.removeAll { PackageLayout.isOurs($0.path, in: role) }
    for step in steps where PackageLayout.isOurs(step.path, in: role) {
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
      let data = try? contents.data(), let values = PropertyListReader.dictionary(data)
    else {
      throw FilePackageError(
        .reservedName, .save, StoredNode(location: location, path: path),
        reason: "'Metadata.plist' belongs to the document itself and must be an XML property list")
    }
    return PackageMetadata.applicationValues(in: values)
  }
}
