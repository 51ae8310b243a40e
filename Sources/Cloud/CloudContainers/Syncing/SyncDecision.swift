/// The next step for one document, decided from what is here, what was here, and what the container has.
///
/// ```
/// here      base     head           step
/// absent    none     none, deleted  nothing
/// absent    none     live           listAsPlaceholder
/// present   none     none           upload
/// present   none     live           merge
/// present   none     deleted        upload
/// absent    here     same           delete
/// absent    here     newer          download: an edit outlives a deletion
/// absent    here     deleted        forget
/// same      here     same           nothing
/// same      here     newer          download
/// same      here     deleted        removeHere
/// changed   here     same           upload
/// changed   here     newer          merge
/// changed   here     deleted        upload: an edit outlives a deletion
/// ```
package enum SyncDecision: Sendable, Hashable, CaseIterable {
  /// Nothing is to do.
  case nothing
  /// The document is listed; its content comes when a program asks for it.
  case listAsPlaceholder
  /// The content here becomes the next version.
  case upload
  /// The container's content comes here.
  case download
  /// Both sides changed: their merge becomes the next version.
  case merge
  /// The next version says that the document is deleted.
  case delete
  /// The document goes here, since it was deleted elsewhere.
  case removeHere
  /// Both sides are gone.
  case forget

  /// The document on this machine.
  package enum Local: Sendable, Hashable, CaseIterable {
    /// It is not here.
    case absent
    /// It is here as the base has it. Without a base, no document is the same.
    case same
    /// It is here in another state than the base.
    case changed
  }

  /// The last version in the container.
  package enum Head: Sendable, Hashable, CaseIterable {
    /// The container has no version.
    case none
    /// The base is the last version.
    case same
    /// There is a version that is not here.
    case newer
    /// The last version says that the document is deleted.
    case deleted
  }

  /// Decides.
  ///
  /// - Parameter hasBase: whether a version of the document is known to have been here, complete.
  package init(local: Local, hasBase: Bool, head: Head) {
    self =
      switch (local, hasBase, head) {
      case (.absent, false, .none), (.absent, false, .deleted): .nothing
      case (.absent, false, .same), (.absent, false, .newer): .listAsPlaceholder
      case (.absent, true, .same): .delete
      case (.absent, true, .newer): .download
      case (.absent, true, .deleted), (.absent, true, .none): .forget
      case (.same, true, .same), (.same, true, .none): .nothing
      case (.same, true, .newer): .download
      case (.same, true, .deleted): .removeHere
      case (.changed, _, .none), (.changed, _, .deleted), (.changed, true, .same): .upload
      case (.changed, false, .same), (.changed, _, .newer): .merge
      // Without a base nothing is known to be the same.
      case (.same, false, .none), (.same, false, .deleted): .upload
      case (.same, false, .same), (.same, false, .newer): .merge
      }
  }
}
