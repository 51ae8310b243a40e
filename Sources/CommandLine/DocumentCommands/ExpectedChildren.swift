import CommandSupport
import FoundationEssentials
import ImageNotes

/// The children that a new package must have for the kind of document that its name says.
struct ExpectedChildren: Sendable {
  /// The error for children of another kind.
  struct Mismatch: Error {
    /// The format of the document that the children are; nil if they are none that is known.
    var format: InterchangeFormat?
    /// The first names.
    var names: [String]
  }

  /// Of these names each says that a document is ImageNotes. The others are parts of other documents as well.
  private static let imageNotes: Set = ["Text.txt", "Images.txt"]
  private static let otherParts: Set = ["Images", "Metadata.plist", "Attachments", "info.json"]
  private let isImageNotes: Bool
  private let format: InterchangeFormat?

  /// - Parameter path: the path of the new package.
  init(of path: String) {
    isImageNotes = isImageNotesName(path)
    format = InterchangeFormat(filename: url(path).lastPathComponent)
  }

  /// - Throws: `Mismatch` if the children are not those of a document of that kind.
  func check(_ names: Set<String>) throws {
    let found = Self.format(of: names)
    let isExpected =
      if isImageNotes {
        !names.isDisjoint(with: Self.imageNotes) || !names.isEmpty && names.isSubset(of: Self.otherParts)
      } else if format == .textBundle || format == .rtfd {
        format == found
      } else {
        true
      }
    if !isExpected { throw Mismatch(format: found, names: Array(names.sorted().prefix(3))) }
  }

  private static func format(of names: Set<String>) -> InterchangeFormat? {
    if names.contains("info.json"), names.contains(where: { $0.lowercased().hasPrefix("text.") }) {
      return .textBundle
    }
    if names.contains("TXT.rtf") { return .rtfd }
    return names.contains { InterchangeFormat(filename: $0) == .markdown } ? .markdown : nil
  }
}
