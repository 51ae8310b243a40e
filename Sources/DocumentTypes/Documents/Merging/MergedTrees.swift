import FilePackages
import FoundationEssentials

/// All nodes of a tree by path.
typealias TreeNodes = [PackagePath: FileWrapper]

extension TreeNodes {
  /// Lists all nodes of a tree except its root.
  init(of tree: FileWrapper) throws {
    self = [:]
    try add(tree, "")
    // The library's own folder is not a child, in any tree.
    self = filter { !PackageLayout.isOurs($0.key) || $0.key.names == [PackageLayout.metadata] }
  }

  private mutating func add(_ folder: FileWrapper, _ prefix: String) throws {
    for (key, child) in try folder.allChildren() {
      self[PackagePath(prefix + key)] = child
      if child.isDirectory { try add(child, prefix + key + "/") }
    }
  }
}

/// Three trees, with their nodes under the names of the merged tree.
struct MergedTrees {
  private(set) var base: TreeNodes
  private(set) var ours: TreeNodes
  private(set) var theirs: TreeNodes
  /// The paths in their tree of nodes that our side renamed.
  private(set) var origins: [PackagePath: PackagePath] = [:]
  private(set) var conflicts: [MergeConflict] = []

  init(base: TreeNodes, ours: TreeNodes, theirs: TreeNodes) throws {
    (self.base, self.ours, self.theirs) = (base, ours, theirs)
    try mergeMetadata()
  }

  /// The nodes at each path.
  var entries: [PackagePath: PathMerge<FileWrapper>.Entries] {
    var entries: [PackagePath: PathMerge<FileWrapper>.Entries] = [:]
    for path in Set(base.keys).union(ours.keys).union(theirs.keys) {
      entries[path] = .init(base: base[path], ours: ours[path], theirs: theirs[path])
    }
    return entries
  }

  /// Gives each node that one side renamed its new name on all sides.
  mutating func followRenames() {
    let (own, others) = (Self.renames(from: base, to: ours), Self.renames(from: base, to: theirs))
    for old in Set(own.keys).union(others.keys).sorted() {
      let node = base[old]
      switch (own[old], others[old]) {
      case (let new?, nil):
        if let other = theirs[old] {
          guard theirs[new] == nil else { continue }
          (theirs[old], theirs[new], origins[new]) = (nil, other, old)
        } else {
          note(.removedByThem, new, kept: .ours)
        }
        (base[old], base[new]) = (nil, theirs[new] == nil ? nil : node)
      case (nil, let new?):
        if let mine = ours[old] {
          guard ours[new] == nil else { continue }
          (ours[old], ours[new]) = (nil, mine)
        } else {
          note(.removedByUs, new, kept: .theirs)
        }
        (base[old], base[new]) = (nil, ours[new] == nil ? nil : node)
      case (let new?, let other?) where new == other: (base[old], base[new]) = (nil, node)
      case (let new?, _?): note(.bothMoved, new, kept: .both)
      case (nil, nil): continue
      }
    }
  }

  private mutating func note(
    _ kind: MergeConflict.Kind, _ path: PackagePath, kept: MergeConflict.Side
  ) {
    conflicts.append(MergeConflict(path.string, kind, kept: kept))
  }

  /// Returns the new path, by the old one, of each file that has only another name.
  private static func renames(from base: TreeNodes, to side: TreeNodes) -> [PackagePath: PackagePath] {
    var added: [FileWrapper.StoredFile: PackagePath] = [:]
    // A file with two new names was not renamed.
    var repeated: Set<FileWrapper.StoredFile> = []
    for (path, node) in side where base[path] == nil {
      guard let file = node.storedFile else { continue }
      if added.updateValue(path, forKey: file) != nil { repeated.insert(file) }
    }
    var renames: [PackagePath: PackagePath] = [:]
    for (path, node) in base where side[path] == nil {
      guard let file = node.storedFile, !repeated.contains(file), let new = added[file] else { continue }
      renames[path] = new
      // If a second name of the file is gone, too, it does not count.
      repeated.insert(file)
    }
    return renames
  }

  /// Merges the metadata. Each save gives them new values of the library; only the application's values belong to the
  /// document.
  private mutating func mergeMetadata() throws {
    let path = PackagePath([PackageLayout.metadata])
    guard let theirNode = theirs[path], let ourNode = ours[path], let other = try Self.metadata(theirNode),
      let own = try Self.metadata(ourNode)
    else { return }
    let before = try base[path].flatMap { try Self.metadata($0) }
    let merged = mergedValue(
      base: before?.applicationValues ?? [:], ours: own.applicationValues, theirs: other.applicationValues)
    // Metadata without a conflict become the same on both sides.
    if merged.isConflict { return }
    if merged.value == other.applicationValues {
      (ours[path], base[path]) = (theirNode, theirNode)
    } else {
      var metadata = other
      metadata.applicationValues = merged.value
      ours[path] = FileWrapper(regularFileWithContents: try metadata.encoded())
      base[path] = theirNode
    }
  }

  private static func metadata(_ node: FileWrapper) throws -> PackageMetadata? {
    guard node.isRegularFile, let bytes = try unlessGone({ try node.contents() }) else { return nil }
    // A plist of another program is an ordinary file.
    return try? PackageMetadata(decoding: bytes)
  }
}
