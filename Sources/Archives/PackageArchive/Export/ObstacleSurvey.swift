import DurableIO
import FilePackages

/// The obstacles that exported children are to an import with its usual options, by the importer's own rules.
///
/// Memory: the names of one folder.
package struct ObstacleSurvey {
  private let limits = ImportLimits()
  private var found: [ImportObstacle.Kind: ImportObstacle] = [:]
  private var deepest = 0

  package init() {}

  /// Looks at the name of the folder around all entries.
  mutating func look(atTop name: FileName) {
    if EntryChecker.hasControlCharacters(name.bytes) { note(.controlCharacters, PackagePath([name])) }
    if EntryChecker.isAppleDouble(PackagePath([name])) { note(.appleDouble, PackagePath([name])) }
  }

  /// Looks at the names of one folder.
  mutating func look(at names: some Sequence<FileName>, in folder: PackagePath) {
    var folded: Set<String> = []
    for name in names where !folded.insert(EntryChecker.folded(name.string)).inserted {
      note(.similarNames, folder.appending(name))
    }
  }

  /// Looks at one child.
  ///
  /// - Parameters:
  ///   - path: the path from the package on.
  ///   - depth: the depth of the child in the archive.
  ///   - target: the destination of a link.
  mutating func look(at path: PackagePath, depth: Int, target: [UInt8]? = nil) {
    guard let name = path.name else { return }
    if EntryChecker.hasControlCharacters(name.bytes) || target.map(EntryChecker.hasControlCharacters) == true
    {
      note(.controlCharacters, path)
    }
    if EntryChecker.isAppleDouble(PackagePath([name])) && (name != "__MACOSX" || depth == 1) {
      note(.appleDouble, path)
    }
    if name != PackageLayout.hidden, EntryChecker.isHiddenName(name) {
      note(.hiddenName, path)
    }
    if let target, !EntryChecker.staysWithin(target, at: path) { note(.outsideLink, path) }
    if depth > limits.depth {
      note(.depth, path)
      deepest = max(deepest, depth)
    }
  }

  private mutating func note(_ kind: ImportObstacle.Kind, _ path: PackagePath) {
    found[kind, default: ImportObstacle(kind: kind, path: path.string, count: 0)].count += 1
  }

  /// Returns the obstacles in the order of their kinds, with those of the archive as a whole.
  package func obstacles(entries: Int, bytes: UInt64, archiveBytes: UInt64) -> [ImportObstacle] {
    var all = found
    all[.depth]?.limit = UInt64(deepest)
    if entries > limits.entries { all[.entries] = ImportObstacle(kind: .entries, limit: UInt64(entries)) }
    if bytes > limits.bytes { all[.bytes] = ImportObstacle(kind: .bytes, limit: bytes) }
    if bytes > ImportLimits.unsuspiciousBytes, bytes / UInt64(limits.ratio) > archiveBytes {
      // The ratio of a tar includes its headers.
      let whole = bytes + UInt64(entries) * 4096
      all[.ratio] = ImportObstacle(kind: .ratio, limit: whole / max(1, archiveBytes) + 1)
    }
    return ImportObstacle.Kind.allCases.compactMap { all[$0] }
  }
}
