import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

// What a plan leaves out: the library's own files, and children that the disk already has.
extension SavePlan {
  /// Returns the plan without the library's own files, and the application's values for the metadata.
  ///
  /// The values are nil unless the tree has a `Metadata.plist` that the application wrote for them.
  ///
  /// - Parameter role: the role of `Metadata.plist` in the tree.
  /// - Throws: `reservedName` if the tree has any other node at a place of the library.
  func withoutOurs(
    at location: Location, _ role: MetadataRole
  ) throws(FilePackageError) -> (plan: SavePlan, values: [String: PropertyListValue]?) {
    var plan = self
    var values: [String: PropertyListValue]?
    plan.steps.removeAll { PackageLayout.isOurs($0.path, in: role) }
    for step in steps where PackageLayout.isOurs(step.path, in: role) {
      let isMetadata = step.path.names == [PackageLayout.metadata]
      switch step.action {
      case .write(let contents) where isMetadata:
        values = try Self.applicationValues(contents, step.path, location)
      case .reuse(let source) where source.path == step.path: continue
      case .reuse(let source) where isMetadata:
        values = try Self.applicationValues(.stored(source), step.path, location)
      case .remove where isMetadata: continue
      // The hidden folder of the original of a copy.
      case _ where base == nil && !isMetadata: continue
      default: throw FilePackageError(.reservedName, .save, StoredNode(location: location, path: step.path))
      }
    }
    return (plan, values)
  }

  /// Returns the plan with a step that writes the metadata over the plist of that status, if there is one.
  func writingMetadata(over known: FileStatus?) -> SavePlan {
    var plan = self
    plan.steps.append(
      Step(
        path: PackagePath([PackageLayout.metadata]), action: .writeMetadata, attributes: .newFile(),
        replaced: known.map { Replaced(status: $0) }))
    plan.steps.sort { $0.path < $1.path }
    return plan
  }

  private static func applicationValues(
    _ contents: FileContents, _ path: PackagePath, _ location: Location
  ) throws(FilePackageError) -> [String: PropertyListValue] {
    guard contents.size.map({ $0 <= UInt64(PackageMetadata.maximumSize) }) ?? true,
      let data = try? contents.data(), let values = PropertyListReader.dictionary(data)
    else {
      throw FilePackageError(
        .reservedName, .save, StoredNode(location: location, path: path),
        reason: "'Metadata.plist' belongs to the document itself and must be an XML property list")
    }
    return PackageMetadata.applicationValues(in: values)
  }
}

extension SavePlan {
  /// Returns the plan without the files and links that would be replaced by the same bytes with the same mode.
  ///
  /// The date of a file is that of its bytes: the same bytes with a new date are not written again. A step stays in the
  /// plan if the node on disk is another one than the tree knows: the save finds that out.
  ///
  /// Cost: none if no step replaces a file by one of its size. If the new bytes are in memory and the old digest is
  /// known, a hash of the new bytes. Otherwise a read of both files, up to the first difference.
  ///
  /// - Parameter known: the digests of the last save.
  func withoutIdentical(known: StateTable?) -> SavePlan {
    guard let base, steps.contains(where: \.mayBeIdentical) else { return self }
    var plan = self
    plan.steps = steps.compactMap { step in
      var step = step
      guard step.mayBeIdentical, step.isIdentical(in: base, known: known) else { return step }
      if case .write = step.action { plan.identical[step.path] = step.replaced?.status }
      return nil
    }
    return plan
  }
}

extension SavePlan.Step {
  fileprivate var mayBeIdentical: Bool {
    guard let status = replaced?.status else { return false }
    switch action {
    case .write(let contents):
      return status.kind == .file && contents.size == status.size
        && (!attributes.modeIsExact || attributes.mode == status.mode)
    case .link: return status.kind == .symbolicLink
    default: return false
    }
  }

  /// Returns whether a step would change nothing; a node that cannot be read counts as different.
  fileprivate mutating func isIdentical(in base: Location, known: StateTable?) -> Bool {
    guard let status = replaced?.status else { return false }
    let place = StoredNode(location: base, path: path, status: status)
    switch action {
    case .write(.data(let data)):
      if let row = known?.row(at: path), row.child.kind == .file, row.child.size == status.size,
        row.modified == status.modified
      {
        let hash = data.withUnsafeBytes { ContentHash(of: $0) }
        content = hash
        return hash == row.child.content
      }
      return (try? place.hasBytes(of: .data(data))) ?? false
    case .write(let contents): return (try? place.hasBytes(of: contents)) ?? false
    case .link(let link):
      guard let destination = try? link.destination(), let old = try? place.readLink() else { return false }
      return old == destination
    default: return false
    }
  }
}

extension StoredNode {
  private struct Difference: Error {}

  /// Returns whether the file has these bytes, and is the one that its status describes.
  fileprivate func hasBytes(of contents: FileContents) throws -> Bool {
    let file = try openFile()
    guard let status, try disk.status(of: file).isUnchanged(since: status) else { return false }
    if case .stored(let other) = contents, other.status?.isUnchanged(since: status) == true { return true }
    var offset: UInt64 = 0
    do {
      try contents.forEachChunk { chunk in
        var length = 0
        while length < chunk.count {
          let old = try disk.read(file, at: offset, atMost: chunk.count - length)
          if old.isEmpty || !old.elementsEqual(chunk[length..<(length + old.count)]) { throw Difference() }
          length += old.count
          offset += UInt64(old.count)
        }
      }
    } catch is Difference {
      return false
    }
    return offset == status.size
  }
}
