package import DurableIO

/// The children of a directory wrapper: the listing of the directory on disk, and the changes to it.
package struct DirectoryNode: Sendable {
  /// The state of a name on disk when the tree last read or saved the directory.
  package enum Baseline: Sendable {
    case absent
    /// The node under the name; nil if the tree never looked at it.
    case present(DiskNode?)
  }

  /// The directory on disk; nil if the directory is only in memory or was not listed yet.
  package var listing: DirectoryListing? {
    didSet { spellings = nil }
  }
  /// The names that were empty when the tree looked at them, in a directory that was not listed yet.
  package var absent: Set<FileName> = []
  /// The children that are objects: callers asked for them or added them.
  package var children: [FileName: FileWrapper] = [:]
  /// The nodes of children that are no objects, if a program noted their statuses before it read the files itself.
  var seen: [FileName: DiskNode] = [:]
  /// The names whose child differs from the one on disk; a save looks at no other name.
  package var changes: [FileName: Baseline] = [:]
  /// The folders that left the directory since the last save. They know the children on disk.
  private var left: [FileName: FileWrapper] = [:]
  /// The name that has each non-ASCII string as its key; nil until a caller asks for a key.
  private var spellings: [String: FileName]?

  package init() {}

  /// Returns whether the directory has a child of exactly that name.
  package func contains(_ name: FileName) -> Bool {
    children[name] != nil || listedKind(of: name) != nil
  }

  /// Returns the kind of a child that is on disk and is not an object yet.
  package func listedKind(of name: FileName) -> FileKind? {
    guard children[name] == nil, changes[name] == nil, let listing else { return nil }
    return listing.position(of: name).map(listing.kind(at:)).flatMap { $0.isSupported ? $0 : nil }
  }

  /// Returns the kind of a child; nil if there is none.
  func kind(of name: FileName) -> FileKind? { listedKind(of: name) ?? children[name]?.kind }

  /// Returns the names of all children: first the listed ones in the listing's order, then the added ones.
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

  /// Returns whether the child of that name is missing from the listing or differs from it.
  private func isBesideListing(_ name: FileName) -> Bool {
    changes[name] != nil || listing?.position(of: name) == nil
  }

  /// Returns the known state of a name on disk; nil if the tree never looked there.
  func baseline(of name: FileName) -> Baseline? {
    if let change = changes[name] { return change }
    if let child = children[name] { return .present(child.diskNode) }
    guard let listing else { return absent.contains(name) ? .absent : nil }
    return listing.position(of: name) == nil ? .absent : .present(seen[name])
  }

  // MARK: Changing

  /// Takes a listing of the directory. The names that were empty stay empty for this tree.
  mutating func take(_ new: DirectoryListing) {
    listing = new.without(absent)
    absent = []
  }

  /// Adds a child under `preferred`, or under Apple's `1__#$!@%!#__preferred` with the first free number, and returns
  /// its name.
  package mutating func insert(_ child: FileWrapper, preferring preferred: FileName) -> FileName {
    let name = firstFree(
      from: 0, { $0 == 0 ? preferred : FileName(bytes: Array("\($0)__#$!@%!#__".utf8) + preferred.bytes) },
      isTaken: { isTaken($0) })
    children[name] = child
    markChanged(name, was: .absent)
    if !name.isASCII { spellings?[name.string] = name }
    return name
  }

  /// Removes a child; nil for one that is no object.
  package mutating func remove(_ name: FileName, _ child: FileWrapper?) {
    children[name] = nil
    if let child, child.isDirectory, changes[name] == nil { left[name] = child }
    markChanged(name, was: .present(child?.diskNode ?? seen[name]))
  }

  /// Lets go of folders that left the directory, after a save.
  mutating func forgetLeft(_ names: some Sequence<FileName>) {
    for name in names { left[name] = nil }
  }

  /// Records the state of a name on disk before the first change of that name.
  package mutating func markChanged(_ name: FileName, was baseline: Baseline) {
    if changes[name] == nil { changes[name] = baseline }
  }

  private mutating func isTaken(_ name: FileName) -> Bool {
    if contains(name) || isUnsupported(name) { return true }
    return !name.isASCII && holder(of: name.string).map(contains) == true
  }

  /// Returns whether the listing has a FIFO, a socket or a device of that name, which is no child but takes the name.
  func isUnsupported(_ name: FileName) -> Bool {
    guard let listing, let position = listing.position(of: name) else { return false }
    return !listing.kind(at: position).isSupported
  }

  // MARK: Keys

  // Swift compares strings by canonical equivalence, file systems compare bytes: composed and decomposed `é` are two
  // files and one dictionary key. The first name in byte order is its own key; the other names get an escaped spelling
  // as key.

  /// Returns the key of a child of that name.
  package mutating func key(of name: FileName) -> String {
    let string = name.string
    return name.isASCII || holder(of: string) == name ? string : name.escapedString
  }

  /// Returns the name that has the string as its key; its child may be gone.
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

  /// The name with its first letter in the other case; nil for a name without an ASCII letter or with other characters
  /// than ASCII.
  ///
  /// If a file system finds nothing under it, it found the name itself by its exact bytes.
  var inOtherCase: FileName? {
    guard isASCII, let letter = bytes.firstIndex(where: { (0x61...0x7A).contains($0 | 0x20) }) else {
      return nil
    }
    var bytes = bytes
    bytes[letter] ^= 0x20
    return FileName(bytes: bytes)
  }
}
