extension UIDocument {
  /// The key of the document's URL in the values of its activity.
  public nonisolated static let userActivityURLKey = "NSUserActivityDocumentURL"
}

extension UIDocument: @preconcurrency NSUserActivityDelegate {
  /// Calls `updateUserActivityState(_:)`.
  public func userActivityWillSave(_ userActivity: NSUserActivity) { updateUserActivityState(userActivity) }
}
