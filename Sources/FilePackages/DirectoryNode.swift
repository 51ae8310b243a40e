package import DurableIO

/// The children of a directory wrapper: what the directory's listing on disk has, and what is different.
package struct DirectoryNode: Sendable {
  /// What stood on disk under a name when the directory was last read or saved.
  package enum Baseline: Sendable {
    case absent
    /// With its status, where the child was ever looked at.
    case present(FileStatus?)
  }

  /// The directory on disk; nil for one that is only in memory, and for one that was not listed yet.
  package var listing: DirectoryListing?
  /// The children that are objects: those that somebody asked for or added.
  package var children: [FileName: FileWrapper] = [:]
  /// The names whose child is not, or not as, the one on disk: all that a save has to look at.
  package var changes: [FileName: Baseline] = [:]

  /// Whether there is a child of that very name.
  package func contains(_ name: FileName) -> Bool {
    if children[name] != nil { return true }
    guard changes[name] == nil, let position = listing?.position(of: name) else { return false }
    return listing?.kind(at: position).isSupported == true
  }

  /// The kind of the child that is on disk and not an object yet.
  package func listedKind(of name: FileName) -> FileKind? {
    guard children[name] == nil, changes[name] == nil, let listing else { return nil }
    return listing.position(of: name).map(listing.kind(at:)).flatMap { $0.isSupported ? $0 : nil }
  }

  /// The names of all children, the listing's first in its order.
  package func names() -> [FileName] {
    var names: [FileName] = []
    if let listing {
      for position in 0..<listing.count where listing.kind(at: position).isSupported {
        let name = listing.name(at: position)
        if changes[name] == nil { names.append(name) }
      }
    }
    names += children.keys.filter { changes[$0] != nil || listing == nil || listing?.position(of: $0) == nil }
    return names
  }

  package var count: Int {
    guard let listing else { return children.count }
    if changes.isEmpty && children.isEmpty {
      return (0..<listing.count).count { listing.kind(at: $0).isSupported }
    }
    return names().count
  }

  /// Remembers, at the first change of a name, what the disk has under it.
  package mutating func markChanged(_ name: FileName, was baseline: Baseline) {
    if changes[name] == nil { changes[name] = baseline }
  }

  // MARK: Keys

  // Swift compares strings by canonical equivalence, file systems by bytes: `é` composed and decomposed are
  // two files and one dictionary key. The first in byte order has its name as its key, the others an escaped
  // spelling of theirs.

  /// The key of a child of that name.
  package func key(of name: FileName) -> String {
    let string = name.string
    if name.isASCII { return string }
    let isTaken = names().contains { $0 < name && !$0.isASCII && $0.string == string }
    return isTaken ? name.escapedString : string
  }

  /// A name for a new child that wants to be called `preferred`: that, or Apple's `1__#$!@%!#__preferred`
  /// with the first number that is free.
  package func freeName(for preferred: FileName) -> FileName {
    let others = preferred.isASCII ? [] : Set(names().filter { !$0.isASCII }.map(\.string))
    func isFree(_ name: FileName) -> Bool { !contains(name) && !others.contains(name.string) }
    var candidate = preferred
    var number = 1
    while !isFree(candidate) {
      candidate = FileName(bytes: Array("\(number)__#$!@%!#__".utf8) + preferred.bytes)
      number += 1
    }
    return candidate
  }
}

extension FileName {
  var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }
}
