extension Document {
  /// Begins to wait for the next autosave. The waiting task keeps the document alive.
  func startAutosaving() {
    guard autosaving == nil, isOpen, schedule != nil, hasUnsavedChanges else { return }
    autosaving = Task { await autosaveWhileChanged() }
  }

  private func autosaveWhileChanged() async {
    while !Task.isCancelled, hasUnsavedChanges, let due = schedule?.due {
      if clock.now() < due {
        await clock.sleep(due)
      } else {
        // `save()` reports an error to the state and the error handler, and the schedule has the next attempt.
        _ = try? await save()
      }
    }
    // The caller that cancels this task may have started another one.
    if !Task.isCancelled { autosaving = nil }
  }
}
