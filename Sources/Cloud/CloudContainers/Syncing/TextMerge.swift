import Documents
import DurableIO
import FilePackages
import FoundationEssentials

/// The merge by line of a plain text that both sides changed.
///
/// Only files whose name tells a plain text merge: lines of a structured file depend on each other.
struct TextMerge {
  let blobs: BlobStore
  /// The largest text that is merged, in bytes.
  static let maximumSize: UInt64 = 1 << 20

  /// Returns whether a file is a text by its name.
  static func isText(_ name: String) -> Bool {
    UTType(filename: name, isDirectory: false).conforms(to: .plainText)
  }

  /// Returns the file with the changes of both sides, which the blobs then have; nil if both sides changed the same
  /// lines, or if it is no text.
  func merged(_ file: EntryMerge.ChangedFile) async throws -> TreeEntry? {
    let (own, their) = (file.ours, file.theirs)
    guard let base = file.base, let baseText = try await text(of: base),
      let ownText = try await text(of: own),
      let theirText = try await text(of: their)
    else { return nil }
    let merge = ThreeWayMerge(base: baseText, ours: ownText, theirs: theirText)
    guard merge.conflicts.isEmpty else { return nil }
    let bytes = Data(merge.text().utf8)
    try await blobs.put(bytes)
    let content = FileContent(
      size: UInt64(bytes.count), hash: bytes.withUnsafeBytes { ContentHash(of: $0) },
      modified: max(own.modified, their.modified))
    return TreeEntry(own.path, .file(content), mode: file.mode)
  }

  /// Returns the text of a file; nil if it is none, or too large.
  private func text(of entry: TreeEntry) async throws -> String? {
    guard let hash = entry.contentHash, entry.size <= Self.maximumSize else { return nil }
    if entry.size == 0 { return "" }
    do {
      let bytes = try await blobs.get(BlobName(hash), child: entry.path.display)
      return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    } catch let error as CloudDataError where error.code == .missing {
      // A collection of garbage took the common origin, since this machine was away for long.
      return nil
    }
  }
}

extension TreeEntry {
  /// The date of a file; 1970 for any other node.
  fileprivate var modified: FileTime {
    if case .file(let content) = kind { content.modified } else { FileTime(seconds: 0, nanoseconds: 0) }
  }
}
