import DurableIO
import FoundationEssentials
import SystemPackage

// (1) What stands there by now and is not what the tree knows of is no reason to leave a step out: the save finds out.
// (2) The date of a file is that of its bytes: the same bytes under a new date are not written again.

extension SavePlan {
  /// The plan without the files and links that would be replaced by the same bytes under the same mode.
  ///
  /// Cost: none where no step replaces a file by one of its size. Otherwise a hash of the new bytes where they are in memory and
  /// the digest of the old ones is known; or else both are read, up to the first difference.
  ///
  /// - Parameter known: the digests of what was saved.
  func withoutIdentical(known: Manifest?) -> SavePlan {
    guard let base, steps.contains(where: \.mayBeIdentical) else { return self }
    var plan = self
    plan.steps.removeAll { $0.mayBeIdentical && $0.isIdentical(in: base, known: known) }
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

  /// What cannot be read to be compared is replaced, as if it were something else.
  fileprivate func isIdentical(in base: Location, known: Manifest?) -> Bool {
    guard let status = replaced?.status else { return false }
    let place = StoredNode(location: base, path: path, status: status)
    switch action {
    case .write(.data(let data)):
      if let row = known?.row(at: path), row.child.kind == .file, row.child.size == status.size,
        row.modified == status.modified
      {
        return data.withUnsafeBytes { ContentHash(of: $0) } == row.child.content
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

  /// Whether the file holds these bytes, and is the one that its status tells of. (1)
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
