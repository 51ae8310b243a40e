public import FoundationEssentials

/// The document's activity and its problems. `normal` is the empty set.
///
/// The flags of `UIDocument.State`, with their values.
public struct DocumentState: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: UInt
  /// Makes a set of these bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Open, and nothing is wrong.
  public static let normal: DocumentState = []
  /// Not opened yet, or closed; there is no content to edit.
  public static let closed = DocumentState(rawValue: 1)
  /// Another program changed the same parts as the user, and the document could not merge both. The other program's
  /// children are conflict versions.
  public static let inConflict = DocumentState(rawValue: 2)
  /// The last save, or the last reading after the first, failed. The edits are in memory, and autosave tries again.
  public static let savingError = DocumentState(rawValue: 4)
  /// The document refuses edits, while it closes or reverts, or at a caller's request.
  public static let editingDisabled = DocumentState(rawValue: 8)
  /// The document reads or writes the disk, or its content is downloaded; `progress` has the reason.
  public static let progressAvailable = DocumentState(rawValue: 16)
}

extension DocumentState: CustomStringConvertible {
  /// The names of the flags, such as `savingError, editingDisabled`, or `normal`.
  public var description: String { isEmpty ? "normal" : names.joined(separator: ", ") }

  /// The names of the flags.
  public var names: [String] {
    let all: [(DocumentState, String)] = [
      (.closed, "closed"), (.inConflict, "inConflict"), (.savingError, "savingError"),
      (.editingDisabled, "editingDisabled"), (.progressAvailable, "progressAvailable"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

/// The reason for a save.
public enum DocumentSaveOperation: Int, Sendable, CaseIterable {
  /// To make a document where there is none.
  case forCreating
  /// To bring a document on disk to the present content.
  case forOverwriting
}

/// The reason and the progress of the present reading or writing.
public struct DocumentProgress: Sendable, Hashable {
  /// The reason for reading or writing.
  public enum Activity: String, Sendable {
    /// The download of the content, before the first reading.
    case downloading
    /// The first reading of the document.
    case opening
    /// The writing of the document.
    case saving
    /// A later reading of the document.
    case reverting
  }

  /// The reason for reading or writing.
  public var activity: Activity
  /// The place that the document reads or writes.
  public var fileURL: URL
  /// The number of bytes written so far, while a save writes, or downloaded so far.
  public var completedBytes: UInt64?
  /// The number of bytes to write or to download. It is nil before a save writes, while a document is made, and during
  /// reading, since the content decides how much it reads.
  public var totalBytes: UInt64?

  /// The fraction from 0 to 1; nil if it is not known.
  public var fractionCompleted: Double? {
    guard let completedBytes, let totalBytes, totalBytes > 0 else { return nil }
    return min(1, Double(completedBytes) / Double(totalBytes))
  }
}

extension DocumentProgress: CustomStringConvertible {
  /// One line, such as `saving 'Trip.imageNotes', 40 %`.
  public var description: String {
    let percent = fractionCompleted.map { ", \(Int($0 * 100)) %" } ?? ""
    return "\(activity.rawValue) '\(displayString(fileURL.lastPathComponent))'\(percent)"
  }
}
