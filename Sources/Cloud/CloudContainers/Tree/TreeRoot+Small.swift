import FilePackages
import FoundationEssentials

extension TreeRoot {
  /// The largest number of entries of a document whose blobs go with its version.
  static let maximumSmallEntries: UInt64 = 32
  /// The largest number of bytes of its files together.
  static let maximumSmallBytes: UInt64 = 4 << 10
  /// The largest number of bytes of its blobs together: the pages have paths and links.
  private static let maximumBlobs = 16 << 10

  /// Whether the blobs of the tree may go with a version.
  var isSmall: Bool {
    totals.entries <= Self.maximumSmallEntries && totals.bytes <= Self.maximumSmallBytes
  }

  /// Returns the blobs of the tree, pages and contents in the order of a walk, each once (EN1).
  ///
  /// - Returns: nil if one of them is not among `all`, or if they are too large for a version.
  func parts(among all: some Sequence<Data>) -> [Data]? {
    guard isSmall else { return nil }
    let blobs = Dictionary(all.map { (BlobName(of: $0), $0) }) { first, _ in first }
    var (found, seen, size) = ([Data](), Set<BlobName>(), 0)
    func take(_ name: BlobName) -> Data? {
      guard let bytes = blobs[name] else { return nil }
      if seen.insert(name).inserted {
        found.append(bytes)
        size += bytes.count
      }
      return bytes
    }
    var rest = [page]
    while let name = rest.popLast() {
      // A page that a walk meets twice would be no tree.
      guard !seen.contains(name), let bytes = take(name), size <= Self.maximumBlobs,
        let page = try? TreePage(decoding: bytes)  // Damage ends the walk.
      else { return nil }
      for item in page.items {
        switch item {
        case .branch(let branch): rest.append(branch.root.page)
        case .entry(let entry):
          guard case .file(let content) = entry.kind, content.size > 0 else { continue }
          guard content.list == nil, let bytes = take(BlobName(content.hash)),
            UInt64(bytes.count) == content.size
          else { return nil }
        }
      }
    }
    return size <= Self.maximumBlobs ? found : nil
  }
}
