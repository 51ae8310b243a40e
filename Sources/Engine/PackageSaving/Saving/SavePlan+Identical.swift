import DurableIO
import FileTrees
import FoundationEssentials
import PackageFormat
import SystemPackage

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
