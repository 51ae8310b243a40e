import Documents
import Foundation

// Versions and conflicts, as the pages get them.

/// The versions of a document, the newest first.
struct VersionList: Encodable {
  struct Version: Encodable {
    var version: String
    /// Milliseconds since 1970.
    var date: Double
    var computer: String
    var current: Bool
    /// The children that differ from the version before; nil for the oldest one.
    var changed: [String]?
  }

  /// The document's name.
  var name: String
  var versions: [Version]
}

/// One version, and what it changed.
struct VersionDetail: Encodable {
  struct Changes: Encodable {
    var lines: [Hunk]
    var images: [ImageChange]
  }

  var date: Double
  var computer: String
  var title: String
  var text: String
  var images: [PageImage]
  var changes: Changes
}

/// A change of one image.
struct ImageChange: Encodable {
  enum Kind: String, Encodable {
    case added, removed, changed, caption, moved
  }

  var kind: Kind
  var name: String
  var before: String?
  var after: String?
  var caption: [String]
}

/// A document in conflict.
struct ConflictList: Encodable {
  struct Side: Encodable {
    var version: String
    var date: Double?
    var computer: String
    var text: String
    var title: String
    var images: [PageImage]
    var lines: [Hunk]
  }

  struct Merge: Encodable {
    var text: String
    var conflicts: Int
  }

  /// The document's name.
  var name: String
  var present: Side
  var versions: [Side]
  var merge: Merge?
  /// A text that changes with the versions; a decision names it.
  var look: String
}

/// Lines of two texts that differ, with equal lines around them.
struct Hunk: Encodable {
  /// A line: its mark, which is a blank, a minus or a plus, and its text.
  typealias Line = [String]

  var oldLine: Int
  var newLine: Int
  var lines: [Line] = []

  /// Compares two texts. A line end at the end of a text makes no difference.
  static func hunks(from old: String, to new: String) -> [Hunk] {
    let (left, right) = (TextLines(old.ended), TextLines(new.ended))
    var hunks: [Hunk] = []
    var last: LineDifference.Change?
    for change in left.changes(to: right) {
      let gap = change.left.lowerBound - (last?.left.upperBound ?? 0)
      if let before = last, gap <= 2 * context {
        hunks[hunks.count - 1].add(" ", left.lines[before.left.upperBound..<change.left.lowerBound])
      } else {
        close(&hunks, behind: last, left)
        let size = min(context, gap)
        hunks.append(
          Hunk(oldLine: change.left.lowerBound - size + 1, newLine: change.right.lowerBound - size + 1))
        hunks[hunks.count - 1].add(" ", left.lines[(change.left.lowerBound - size)..<change.left.lowerBound])
      }
      hunks[hunks.count - 1].add("-", left.lines[change.left])
      hunks[hunks.count - 1].add("+", right.lines[change.right])
      last = change
    }
    close(&hunks, behind: last, left)
    return hunks
  }

  /// The number of equal lines around those that differ.
  private static let context = 3

  private static func close(_ hunks: inout [Hunk], behind last: LineDifference.Change?, _ text: TextLines) {
    guard let last else { return }
    hunks[hunks.count - 1].add(" ", text.lines[last.left.upperBound...].prefix(context))
  }

  private mutating func add(_ mark: String, _ lines: some Sequence<ArraySlice<UInt8>>) {
    for line in lines {
      let text = String(decoding: line, as: UTF8.self)
      self.lines.append([mark, text.last?.isNewline == true ? String(text.dropLast()) : text])
    }
  }
}

extension String {
  /// The text with an end of its last line.
  fileprivate var ended: String { isEmpty || utf8.last == 0x0A ? self : self + "\n" }
}
