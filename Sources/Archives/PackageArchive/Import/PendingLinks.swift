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
    var entry = entry
    // A link has no attributes on Linux, and memory holds the entries of all links.
    entry.attributes = []
    links[path] = Link(path: path, target: target, entry: entry)
  }

  /// Returns the links of the package at `top` in the order of their paths.
  ///
  /// - Throws: a finding for a link that leads out of the package, unless `options` allows that.
  func checked(in top: FileName?, _ options: ImportOptions) throws -> [Link] {
    let sorted = links.values.sorted { $0.path < $1.path }
    for link in sorted {
      try EntryChecker.check(link.target, at: link.path, in: top, of: link.entry, options)
    }
    return sorted
  }
}
