import Documents
import Foundation

// The events of an open document, as the pages get them.

/// The whole document, for a page that opens it.
struct OpenEvent: Encodable {
  var id: String
  var epoch: String
  var seq: Int
  var saved: Int
  var name: String
  var title: String
  var displayName: String
  /// The text with the changes up to `seq`; nil for a page that has it.
  var text: String?
  var images: [PageImage]
  var missing: [String]
  var undo: UndoEvent
  var state: StateEvent
  var tabs: [TabsEvent.Tab]
}

/// A change of the text.
struct TextEvent: Encodable, Sendable {
  enum Why: String, Encodable {
    case edit, undo, redo
    /// Another program wrote it, so it is on the disk.
    case outside
  }

  var seq: Int
  /// The tab that made it; nil if none did.
  var tab: String?
  var op: String?
  var splices: [TextSplice]
  var why: Why
}

/// The title and the images.
struct NotesEvent: Encodable, Equatable {
  var title: String
  var displayName: String
  var images: [PageImage]
  /// The names of images whose files are gone.
  var missing: [String]
}

/// One image.
struct PageImage: Encodable, Equatable {
  var key: String
  var name: String
  /// The path in the package, by which the text names the image.
  var path: String
  var caption: String
  var width: Int
  var height: Int
  var format: String
  var size: UInt64
  var url: String
}

/// The edits that can be undone and redone.
struct UndoEvent: Encodable, Equatable {
  var canUndo: Bool
  var canRedo: Bool
  var undoTitle: String
  var redoTitle: String

  /// - Parameter names: the actions that a tab can undo and redo; nil for none.
  init(_ names: (undo: String?, redo: String?)) {
    (canUndo, canRedo) = (names.undo != nil, names.redo != nil)
    (undoTitle, redoTitle) = (
      names.undo.map { "Undo \($0)" } ?? "Undo", names.redo.map { "Redo \($0)" } ?? "Redo"
    )
  }
}

/// The state light.
struct StateEvent: Encodable, Equatable {
  enum Light: String, Encodable {
    case saved, unsaved, saving, error, conflict, disabled, deleted
  }

  struct Recovery: Encodable, Equatable {
    /// Milliseconds since 1970.
    var date: Double
  }

  var light: Light
  var saved: Int
  var message: String?
  var advice: String?
  var conflicts: Int
  /// Brings a deleted document back; nil for one that is not known to be in a trash.
  var deletion: String?
  var recovery: Recovery?
}

extension StateEvent.Light {
  init(_ flags: DocumentState, isUnsaved: Bool, isSaving: Bool) {
    self =
      if flags.contains(.closed) {
        .deleted
      } else if flags.contains(.savingError) {
        .error
      } else if flags.contains(.inConflict) {
        .conflict
      } else if flags.contains(.editingDisabled) {
        .disabled
      } else if isUnsaved {
        isSaving ? .saving : .unsaved
      } else {
        .saved
      }
  }
}

/// The tabs that show the document.
struct TabsEvent: Encodable {
  struct Tab: Encodable {
    var tab: String
    var at: Int?
  }

  var tabs: [Tab]
}

/// A new place of the document.
struct MovedEvent: Encodable {
  var id: String
  var name: String
}

/// A sentence to announce.
struct NoticeEvent: Encodable {
  var message: String
}

extension Date {
  /// Milliseconds since 1970, as scripts count.
  var milliseconds: Double { (timeIntervalSince1970 * 1000).rounded() }
}
