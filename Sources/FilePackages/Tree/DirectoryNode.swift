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
  package var listing: DirectoryListing? {
    didSet { spellings = nil }
  }
  /// The children that are objects: those that somebody asked for or added.
  package var children: [FileName: FileWrapper] = [:]
  /// The names whose child is not, or not as, the one on disk: all that a save has to look at.
  package var changes: [FileName: Baseline] = [:]
  /// The children that left since the directory was last read or saved, by the names that they had: a save moves, or
  /// takes away, what they are on disk.
  package var departed: [FileName: Departed] = [:]
  /// Whose key each string beyond ASCII is; nil until somebody asks.
  private var spellings: [String: FileName]?

  /// A child that is somewhere else by now, if it is anywhere.
  package struct Departed: Sendable {
    package weak var wrapper: FileWrapper?
  }

  package init() {}

  /// Whether there is a child of that very name.
  package func contains(_ name: FileName) -> Bool {
    children[name] != nil || listedKind(of: name) != nil
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
      names.reserveCapacity(listing.count)
      for position in 0..<listing.count where listing.kind(at: position).isSupported {
        let name = listing.name(at: position)
        if changes.isEmpty || changes[name] == nil { names.append(name) }
      }
    }
    names += children.keys.filter(isBesideListing)
    return names
  }

  package var count: Int {
    guard let listing else { return children.count }
    let listed = (0..<listing.count).count { listing.kind(at: $0).isSupported }
    let changed = changes.keys.compactMap(listing.position(of:)).count { listing.kind(at: $0).isSupported }
    return listed - changed + children.keys.count(where: isBesideListing)
  }

  /// Whether the child of that name is one that the listing does not stand for.
  private func isBesideListing(_ name: FileName) -> Bool {
    changes[name] != nil || listing?.position(of: name) == nil
  }

  // MARK: Changing

  /// Puts a child under `preferred`, or under Apple's `1__#$!@%!#__preferred` with the first number that is
  /// free, and returns its name.
  package mutating func insert(_ child: FileWrapper, preferring preferred: FileName) -> FileName {
    var name = preferred
    var number = 1
    while isTaken(name) {
      name = FileName(bytes: Array("\(number)__#$!@%!#__".utf8) + preferred.bytes)
      number += 1
    }
    children[name] = child
    markChanged(name, was: .absent)
    if !name.isASCII { spellings?[name.string] = name }
    return name
  }

  /// Takes a child out; `status` is what the disk has under its name, where that is known.
  package mutating func remove(_ name: FileName, was status: FileStatus?) {
    if let child = children.removeValue(forKey: name), departed[name]?.wrapper == nil {
      departed[name] = Departed(wrapper: child)
    }
    markChanged(name, was: .present(status))
  }

  /// Remembers, at the first change of a name, what the disk has under it.
  package mutating func markChanged(_ name: FileName, was baseline: Baseline) {
    if changes[name] == nil { changes[name] = baseline }
  }

  private mutating func isTaken(_ name: FileName) -> Bool {
    if contains(name) { return true }
    // A FIFO is no child, but it has its name.
    if let listing, let position = listing.position(of: name), !listing.kind(at: position).isSupported {
      return true
    }
    return !name.isASCII && holder(of: name.string).map(contains) == true
  }

  // MARK: Keys

  // Swift compares strings by canonical equivalence, file systems by bytes: `é` composed and decomposed are
  // two files and one dictionary key. The first in byte order has its name as its key, the others an escaped
  // spelling of theirs.

  /// The key of a child of that name.
  package mutating func key(of name: FileName) -> String {
    let string = name.string
    return name.isASCII || holder(of: string) == name ? string : name.escapedString
  }

  /// The name that has the string as its key, perhaps one whose child is gone.
  private mutating func holder(of string: String) -> FileName? {
    if spellings == nil {
      let names = names().filter { !$0.isASCII }.sorted()
      spellings = Dictionary(names.map { ($0.string, $0) }) { first, _ in first }
    }
    return spellings?[string]
  }
}

extension FileName {
  var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }
}
