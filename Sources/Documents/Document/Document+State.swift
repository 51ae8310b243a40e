import FilePackages

extension Document {
  /// The document's states: the present one, and then each later one, once. The stream ends with the document.
  public var stateChanges: AsyncStream<DocumentState> {
    broadcast.add(documentState) { [weak self] number in
      Task { await self?.stopTelling(number) }
    }
  }

  private func stopTelling(_ number: UInt64) { broadcast.remove(number) }

  // MARK: Editing

  /// Refuses edits until the caller has called `enableEditing()` as many times as this method.
  public func disableEditing() {
    editingHolds += 1
    documentState.insert(.editingDisabled)
  }

  /// Takes back one `disableEditing()`; does nothing if there is none.
  public func enableEditing() {
    editingHolds = max(0, editingHolds - 1)
    if editingHolds == 0 { documentState.remove(.editingDisabled) }
  }

  // MARK: Progress

  /// The present reading or writing and its progress; nil if there is none. Each call returns the newest figures.
  public var progress: DocumentProgress? {
    guard let activity else { return nil }
    var progress = DocumentProgress(activity: activity, fileURL: fileURL)
    if activity == .saving, let now = storage?.savingProgress.now, now.total > 0 {
      (progress.completedBytes, progress.totalBytes) = (now.completed, now.total)
    }
    return progress
  }

  func begin(_ activity: DocumentProgress.Activity) {
    self.activity = activity
    documentState.insert(.progressAvailable)
  }

  /// Ends the activity, and changes the state in one step.
  func end(_ change: (inout DocumentState) -> Void) {
    activity = nil
    var state = documentState
    state.remove(.progressAvailable)
    change(&state)
    documentState = state
  }

  // MARK: Errors

  /// Passes an error to the error handler, and returns it for the caller to throw.
  @discardableResult
  func report(_ error: DocumentError) -> DocumentError {
    options.errorHandler?(error)
    return error
  }
}
