import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

extension StagedSave {
  /// Checks, before the new state comes to its place, that its children have the sums that they must have.
  func checkSummary() throws(FilePackageError) {
    guard let summary, summary != children.madeMetadata?.metadata.summary else { return }
    throw failure(.changedOnDisk, .root, reason: "another program changed a file of the original")
  }

  /// Checks, before it makes anything, that nothing is at the document's place.
  func refuseAnything(at place: StagingLocation) throws(FilePackageError) {
    if try status(at: place) != nil { throw failure(.fileExists, .root) }
  }
}
