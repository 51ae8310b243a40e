public import Foundation

extension UIDocument {
  /// The notification of a new state, with the document as its object.
  public nonisolated static let stateChangedNotification = NSNotification.Name(
    "UIDocumentStateChangedNotification")

  /// Computes the state, and posts it if it has changed (UI2).
  func updateState() {
    var state = engineFlags
    if opened == nil { state.insert(.closed) }
    if hasFailed { state.insert(.savingError) }
    if editingHolds > 0 { state.insert(.editingDisabled) }
    if download != nil { state.insert(.progressAvailable) }
    if state == documentState { return }
    documentState = state
    NotificationCenter.default.post(name: Self.stateChangedNotification, object: self)
  }

  func holdEditing() {
    editingHolds += 1
    updateState()
    if editingHolds == 1 { disableEditing() }
  }

  func releaseEditing() {
    editingHolds -= 1
    if editingHolds == 0 { enableEditing() }
    updateState()
  }
}
