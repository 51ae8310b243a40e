import CommandSupport
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import ImageNotes

/// A difference in the output of `diff`.
struct ShownDifference: Encodable, Sendable {
  enum Change: String, Encodable { case added, removed, changed, mode }

  var path: String
  var change: Change
  var old: Side?
  var new: Side?
  var linesAdded: Int?
  var linesRemoved: Int?
  private var lines: [String]

  private enum CodingKeys: String, CodingKey {
    case path, change, old, new, linesAdded, linesRemoved
  }

  /// A child before or after the change.
  struct Side: Encodable, Sendable {
    var kind: PackageEntry.Kind
    /// The bytes of a file.
    var size: UInt64?
    /// The format of an image, and its size in pixels if that is known.
    var format: String?
    var width: Int?
    var height: Int?
    /// The destination of a link, spelled without loss.
    var target: String?
    /// The permissions in octal digits.
    var mode: String
  }

  init(_ difference: VersionDifference) throws {
    path = difference.path
    change = difference.old == nil ? .added : difference.new == nil ? .removed : .changed
    lines = []
    (old, new) = (try difference.old.map(Side.init), try difference.new.map(Side.init))
    if let old = difference.old, let new = difference.new, try Self.hasSameContent(old, new) {
      change = .mode
      return
    }
    let (before, after) = (try Self.bytes(difference.old), try Self.bytes(difference.new))
    guard difference.old?.isRegularFile ?? true, difference.new?.isRegularFile ?? true,
      let text = UnifiedDifference(from: before ?? [], to: after ?? [])
    else { return }
    (linesAdded, linesRemoved, lines) = (text.added, text.removed, text.lines)
  }

  private static func hasSameContent(_ old: FileWrapper, _ new: FileWrapper) throws -> Bool {
    if old.isDirectory && new.isDirectory { return true }
    guard old.isRegularFile, new.isRegularFile, old.permissions != new.permissions else { return false }
    return try old.hasSameContents(as: new)
  }

  /// The largest file that is compared by line.
  private static let maximumTextSize: UInt64 = 16 << 20

  private static func bytes(_ node: FileWrapper?) throws -> [UInt8]? {
    guard let node, node.isRegularFile else { return nil }
    // A file beyond that size counts as binary.
    if (node.regularFileSize ?? 0) > maximumTextSize { return [0] }
    return Array(try node.contents())
  }

  private var place: String { display(path.isEmpty ? "." : path) }

  /// The difference in one line.
  var line: String {
    let words =
      switch change {
      case .added: "added, \(new?.words ?? "")"
      case .removed: "removed, \(old?.words ?? "")"
      case .mode: "mode \(old?.mode ?? "") → \(new?.mode ?? "")"
      case .changed where linesAdded != nil: "+\(linesAdded ?? 0) -\(linesRemoved ?? 0)"
      case .changed: "\(old?.words ?? "") → \(new?.words ?? "")"
      }
    return "\(place): \(words)"
  }

  /// The whole difference.
  var text: String {
    guard !lines.isEmpty else { return line + "\n" }
    let (before, after) = (
      change == .added ? "/dev/null" : "a/\(place)", change == .removed ? "/dev/null" : "b/\(place)"
    )
    return "--- \(before)\n+++ \(after)\n" + lines.joined()
  }
}

extension ShownDifference.Side {
  fileprivate init(_ node: FileWrapper) throws {
    mode = String(node.permissions, radix: 8)
    if node.isDirectory {
      kind = .directory
    } else if node.isSymbolicLink {
      (kind, target) = (.link, FileName(bytes: try node.linkDestination()).string)
    } else {
      (kind, size) = (.file, node.regularFileSize ?? 0)
      do {
        let header = try ImageHeader(of: node)
        (format, width, height) = (header.format.rawValue, header.displayWidth, header.displayHeight)
      } catch is ImageHeaderError {
        // Most files are no images.
      }
    }
  }

  fileprivate var words: String {
    switch kind {
    case .directory: return "folder"
    case .link: return "link to \(display(target ?? ""))"
    case .file, .fifo, .socket, .device: break
    }
    let size = SaveReport.bytes(size ?? 0)
    return format.map { "\(imageWords($0, width, height)), \(size)" } ?? size
  }
}
