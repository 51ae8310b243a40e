import Documents
import FoundationEssentials

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
    func lines(_ text: String) -> [UInt8] {
      text.isEmpty || text.utf8.last == 0x0A ? Array(text.utf8) : Array(text.utf8) + [0x0A]
    }
    // A text without lines that differ has no hunk, and neither has one that is no text.
    guard let difference = UnifiedDifference(from: lines(old), to: lines(new)) else { return [] }
    var hunks: [Hunk] = []
    for line in difference.lines {
      if line.hasPrefix("@@ ") {
        let numbers = line.split(separator: " ").dropFirst().prefix(2).map { part in
          Int(part.dropFirst().split(separator: ",").first ?? "") ?? 0
        }
        hunks.append(Hunk(oldLine: numbers.first ?? 0, newLine: numbers.last ?? 0))
      } else if let mark = line.first, !hunks.isEmpty {
        let text = line.dropFirst().split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        hunks[hunks.count - 1].lines.append([String(mark), String(text.first ?? "")])
      }
    }
    return hunks
  }
}
