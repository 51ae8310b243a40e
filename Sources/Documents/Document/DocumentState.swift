public import FoundationEssentials

/// What a document is doing, or what is wrong with it. `normal` is the empty set.
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
  /// Another program changed what was edited here, and the two could not be merged. Its children are kept as
  /// conflict versions.
  public static let inConflict = DocumentState(rawValue: 2)
  /// The last save, or reading the document anew, failed. The edits are in memory, and autosave goes on trying.
  public static let savingError = DocumentState(rawValue: 4)
  /// Edits are refused, while the document is closed or reverted or because it was asked for.
  public static let editingDisabled = DocumentState(rawValue: 8)
  /// The disk is being read or written; `progress` says for what.
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

/// What a change does to the count of changes.
public enum DocumentChangeKind: Int, Sendable, CaseIterable {
  /// Something was changed.
  case done
  /// A change was undone.
  case undone
  /// An undone change was done again.
  case redone
  /// The document counts as saved.
  case cleared
}

/// Why a document is saved.
public enum DocumentSaveOperation: Int, Sendable, CaseIterable {
  /// To make a document where there is none.
  case forCreating
  /// To bring the document that is there to the present content.
  case forOverwriting
}

/// What the disk is being read or written for.
public struct DocumentProgress: Sendable, Hashable {
  /// What is being done.
  public enum Activity: String, Sendable {
    /// The document is read for the first time.
    case opening
    /// It is written.
    case saving
    /// It is read anew.
    case reverting
  }

  /// What is being done.
  public var activity: Activity
  /// Where.
  public var fileURL: URL
  /// How many bytes have been written, while a save writes.
  public var completedBytes: UInt64?
  /// How many there are to write. Nil before a save writes, while a document is made, and while one is read: how much is
  /// read is for the content to decide.
  public var totalBytes: UInt64?

  /// From 0 to 1; nil where that is not known.
  public var fractionCompleted: Double? {
    guard let completedBytes, let totalBytes, totalBytes > 0 else { return nil }
    return min(1, Double(completedBytes) / Double(totalBytes))
  }
}
