package import DurableIO
package import FilePackages
import PackageArchive

/// The rules for entries that a container may give to a machine, and that a machine may give to a container.
///
/// They are the rules for archives from other people: `EntryChecker` decides.
package struct EntryRules: Sendable {
  private let place: String
  private var checker: TreeChecker

  /// - Parameter place: the store, for errors.
  package init(in place: String) {
    self.place = place
    let limits = TreeTotals.limit
    checker = TreeChecker(
      limits: ImportLimits(
        entries: Int(clamping: limits.entries), bytes: limits.bytes, ratio: .max,
        depth: PackagePath.maximumDepth,
        nameBytes: 256 << 20))
  }

  /// Checks the next entry, in the order of paths.
  ///
  /// - Throws: `CloudDataError` with the code `refused`.
  package mutating func check(_ entry: TreeEntry) throws(CloudDataError) {
    do throws(TreeChecker.Refusal) {
      switch entry.kind {
      case .file(let content): try checker.check(entry.path, .file, size: content.size)
      case .directory: try checker.check(entry.path, .directory)
      case .link(let destination): try checker.check(entry.path, .symbolicLink, destination: destination)
      }
    } catch {
      throw CloudDataError(.refused, in: place, child: error.path, reason: error.reason)
    }
  }

  /// Checks that the names in a folder differ on every disk.
  ///
  /// - Throws: `CloudDataError` with the code `refused`.
  package static func check(
    _ names: some Sequence<FileName>, of folder: PackagePath, in place: String
  ) throws(CloudDataError) {
    guard let (one, other) = TreeChecker.twins(among: names) else { return }
    throw CloudDataError(
      .refused, in: place, child: folder.appending(other).display,
      reason: "'\(one.display)' differs only in case or encoding")
  }
}
