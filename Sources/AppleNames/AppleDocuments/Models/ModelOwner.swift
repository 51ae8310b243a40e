import Documents
import FilePackages
import Foundation

/// The object whose model a file saves.
@MainActor
protocol ModelOwner: AnyObject, Sendable {
  /// Returns the tree to save, and the moment whose state it has.
  ///
  /// The moment is taken in one step with the model's state, without an `await` between them.
  func takeTree(_ configuration: FileDocumentWriteConfiguration) async throws -> TakenModel
  /// Returns a function that gives the model the contents of a tree.
  ///
  /// The model changes only in that function. It returns whether the model now is as on disk. If it throws, the model is
  /// as before.
  func read(_ tree: FileWrapper, as type: UTType, at url: URL) async throws -> ModelUpdate
  /// The state of this moment was saved.
  func didSave(_ moment: ModelMoment)

  /// Another program has changed the disk.
  func diskDidChange()
  /// The file has another state.
  func stateDidChange()
  /// The file may have another place, date or presenter.
  func placeDidChange()
  /// The user must not edit until `enableEditing()`.
  func disableEditing()
  /// The user may edit again.
  func enableEditing()
  /// An event of the file, which the file has taken in.
  ///
  /// - Parameter known: the tree that the model had before.
  func note(_ event: DocumentEvent, knowing known: FileWrapper?)
  /// An error, also one that no caller waits for. It is the model's own error if the model refused.
  func handle(_ error: any Error)
  /// Another program is about to delete or replace a child; returns the reason to stop it, or nil.
  func refusal(ofDeletingChildAt url: URL) async -> (any Error)?
  /// Another program has moved a child.
  func childDidMove(from oldURL: URL, to newURL: URL)
}

extension ModelOwner {
  func didSave(_ moment: ModelMoment) {}
  func diskDidChange() {}
  func stateDidChange() {}
  func placeDidChange() {}
  func disableEditing() {}
  func enableEditing() {}
  func note(_ event: DocumentEvent, knowing known: FileWrapper?) {}
  func refusal(ofDeletingChildAt url: URL) async -> (any Error)? { nil }
  func childDidMove(from oldURL: URL, to newURL: URL) {}
}

/// Gives a model its new contents, and returns whether it now is as on disk.
typealias ModelUpdate = @MainActor () async throws -> Bool

/// A moment in the history of a model's changes.
struct ModelMoment {
  let revision: Revision
  /// The number of changes up to then. It never goes back, as the revision does by an undo.
  let edits: UInt64
  /// The number of saves up to then.
  let saves: Int
  /// Whether the model had unsaved changes then.
  let isUnsaved: Bool
  /// Whether a save writes just the state of this moment. It may write a later one if the model changes the tree that
  /// it writes, or if an undo group is open.
  var isExact: Bool
  /// The owner's own note of the moment.
  var note: Any?
}

/// The tree of a model at one moment.
struct TakenModel {
  var tree: FileWrapper
  var moment: ModelMoment
  /// The kind of tree whose children the store's own tree gets; nil if the tree is saved itself.
  var giver: TreeGiver?

  /// - Parameter isWritten: whether the tree consists of files that were written for this save.
  init(_ tree: FileWrapper, isWritten: Bool, _ moment: ModelMoment) {
    (self.tree, self.moment, giver) = (tree, moment, isWritten ? .files : .model)
    // The model may change its tree while it is written.
    if tree.isDirectory && !isWritten { self.moment.isExact = false }
  }

  init(_ tree: FileWrapper, _ moment: ModelMoment) { (self.tree, self.moment) = (tree, moment) }
}
