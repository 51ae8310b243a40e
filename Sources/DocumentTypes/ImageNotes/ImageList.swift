import FilePackages
import FoundationEssentials

/// `Images.txt`: one line for each image, in order. Its fields, separated by tabs, are the path of the file in the
/// package, the original filename, and the caption.
///
/// A backslash, a tab and the ends of a line in a field are `\\`, `\t`, `\n` and `\r`. A user who edits the file by
/// hand may leave out fields at the end of a line.
struct ImageList {
  struct Entry: Equatable {
    var path: String
    var originalFilename: String
    var caption: String

    /// Compares bytes, since strings that differ in the way of writing accents are equal.
    static func == (one: Entry, other: Entry) -> Bool {
      one.path.hasSameBytes(as: other.path) && one.caption.hasSameBytes(as: other.caption)
        && one.originalFilename.hasSameBytes(as: other.originalFilename)
    }
  }

  var entries: [Entry]

  init(entries: [Entry]) {
    self.entries = entries
  }

  init(parsing text: String) {
    entries = text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).compactMap { line in
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(Self.unescape)
      guard let path = fields.first, !path.isEmpty else { return nil }
      let name = path.split(separator: "/").last.map(String.init) ?? path
      let original = fields.count > 1 && !fields[1].isEmpty ? fields[1] : name
      return Entry(path: path, originalFilename: original, caption: fields.count > 2 ? fields[2] : "")
    }
  }

  var text: String {
    entries.map { entry in
      [entry.path, entry.originalFilename, entry.caption].map(Self.escape).joined(separator: "\t") + "\n"
    }.joined()
  }

  private static func escape(_ field: String) -> String {
    var text = ""
    for scalar in field.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\t": text += "\\t"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private static func unescape(_ field: Substring) -> String {
    var text = ""
    var scalars = field.unicodeScalars.makeIterator()
    while let scalar = scalars.next() {
      guard scalar == "\\" else {
        text.unicodeScalars.append(scalar)
        continue
      }
      switch scalars.next() {
      case "t": text += "\t"
      case "n": text += "\n"
      case "r": text += "\r"
      case let other?: text.unicodeScalars.append(other)
      case nil: text += "\\"
      }
    }
    return text
  }
}
