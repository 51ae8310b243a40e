import DurableIO
import FilePackages

/// Links that an import makes last, when it knows which folder is the package. A later link replaces an earlier one
/// of the same path.
struct PendingLinks {
  struct Link {
    var path: PackagePath
    var target: [UInt8]
    var entry: ArchiveEntry
  }

  private var links: [PackagePath: Link] = [:]

  mutating func add(_ path: PackagePath, _ target: [UInt8], _ entry: ArchiveEntry) {
    links[path] = Link(path: path, target: target, entry: entry)
  }

  /// Returns the links of the package at `top` in the order of their paths. It omits a link with the hidden
  /// folder's name and the links within that folder.
  ///
  /// - Throws: a finding for a link that leads out of the package, unless `options` allows that.
  func checked(in top: FileName?, _ options: ImportOptions) throws -> [Link] {
    let kept = links.values.filter { !EntryChecker.isHidden($0.path, in: top, options) }
    for link in kept { try EntryChecker.check(link.target, at: link.path, in: top, of: link.entry, options) }
    return kept.sorted { $0.path < $1.path }
  }
}
