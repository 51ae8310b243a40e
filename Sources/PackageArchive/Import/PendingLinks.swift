import DurableIO
import FilePackages

/// Links that are made last, when it is known what the package is. A later one of the same path replaces an earlier one.
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

  /// Those of the package at `top`, in the order of their paths, without a link of the hidden folder's name and those
  /// within it.
  ///
  /// - Throws: a finding for one that leads out of the package, unless `options` allows that.
  func checked(in top: FileName?, _ options: ImportOptions) throws -> [Link] {
    let kept = links.values.filter { !EntryChecker.isHidden($0.path, in: top, options) }
    for link in kept { try EntryChecker.check(link.target, at: link.path, in: top, of: link.entry, options) }
    return kept.sorted { $0.path < $1.path }
  }
}
