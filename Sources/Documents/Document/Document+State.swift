import FilePackages

extension Document {
  /// The document's states: the present one, and then each other one, once. Ends with the document.
  public var stateChanges: AsyncStream<DocumentState> {
    broadcast.add(documentState) { [weak self] number in
      Task { await self?.stopTelling(number) }
    }
  }

  private func stopTelling(_ number: UInt64) { broadcast.remove(number) }

  // MARK: Editing

  /// Refuses edits until `enableEditing()` is called as many times as this.
  public func disableEditing() {
    editingHolds += 1
    documentState.insert(.editingDisabled)
  }

  /// Takes back one `disableEditing()`; does nothing where there is none.
  public func enableEditing() {
    editingHolds = max(0, editingHolds - 1)
    if editingHolds == 0 { documentState.remove(.editingDisabled) }
  }

  // MARK: Progress

  /// What the disk is being read or written for, and how far that is by now; nil when it is not. Asking again tells how
  /// it goes on.
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

  /// Ends what was begun; all that changes in the state changes at once.
  func end(_ change: (inout DocumentState) -> Void) {
    activity = nil
    var state = documentState
    state.remove(.progressAvailable)
    change(&state)
    documentState = state
  }

  // MARK: Errors

  /// Tells of an error, and gives it back to be thrown.
  @discardableResult
  func report(_ error: DocumentError) -> DocumentError {
    options.errorHandler?(error)
    return error
  }
}
