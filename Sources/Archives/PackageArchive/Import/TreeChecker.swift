package import DurableIO
package import FilePackages

/// The checks of an import, for entries that come from elsewhere than from an archive.
///
/// The entries are one package, without its hidden folder.
package struct TreeChecker {
  /// The reason why an entry is refused.
  package struct Refusal: Error, Hashable {
    /// The entry's path, for people.
    package var path: String
    /// The reason, in words.
    package var reason: String
  }

  private let options: ImportOptions
  private var checker: EntryChecker
  private var tally: EntryTally

  /// - Parameter limits: the ratio does not count, since nothing is compressed.
  package init(limits: ImportLimits) {
    options = ImportOptions(
      limits: limits, topFolder: .isKept, includesAppleDouble: true, includesHistory: true,
      allowsControlCharacters: true, allowsDriveLetters: true)
    checker = EntryChecker(options)
    tally = EntryTally(limits)
  }

  /// Checks the next entry. A folder comes before its entries.
  ///
  /// - Parameters:
  ///   - size: the bytes of a file.
  ///   - destination: the destination of a symbolic link.
  package mutating func check(
    _ path: PackagePath, _ kind: FileKind, size: UInt64 = 0, destination: [UInt8] = []
  ) throws(Refusal) {
    let entryKind: ArchiveEntry.Kind =
      switch kind {
      case .file: .file
      case .directory: .directory
      case .symbolicLink: .link(destination)
      case .fifo, .socket, .device: .other(kind.words)
      }
    let entry = ArchiveEntry(name: path.bytes, kind: entryKind, mode: 0o644, size: size)
    do {
      guard case .take(let taken) = try checker.check(entry), taken.path == path,
        path.names.first.map({ !EntryChecker.isHiddenName($0) }) ?? false
      else { throw Refusal(path: path.display, reason: "its name belongs to the document itself") }
      if kind == .symbolicLink { try EntryChecker.check(destination, at: path, in: nil, of: entry, options) }
      try tally.add(entries: 1, bytes: size, as: \.taken, of: entry, archiveBytes: .max)
    } catch let finding as ArchiveError.Finding {
      throw Refusal(path: path.display, reason: finding.reason)
    } catch let refusal as Refusal {
      throw refusal
    } catch {
      throw Refusal(path: path.display, reason: "\(error)")
    }
  }

  /// Returns two names that a disk may take for one, if it does not tell upper from lower case; nil if all differ.
  package static func twins(among names: some Sequence<FileName>) -> (FileName, FileName)? {
    var seen: [String: FileName] = [:]
    for name in names {
      if let twin = seen.updateValue(name, forKey: EntryChecker.folded(name.string)) { return (twin, name) }
    }
    return nil
  }
}
