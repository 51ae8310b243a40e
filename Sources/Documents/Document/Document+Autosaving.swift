extension Document {
  /// Begins to wait for the next autosave. What waits keeps the document alive.
  func startAutosaving() {
    guard autosaving == nil, isOpen, schedule != nil, hasUnsavedChanges else { return }
    autosaving = Task { await autosaveWhileChanged() }
  }

  private func autosaveWhileChanged() async {
    while !Task.isCancelled, hasUnsavedChanges, let due = schedule?.due {
      if clock.now() < due {
        await clock.sleep(due)
      } else {
        // The state and the error handler tell of an error, and the schedule has the next attempt.
        _ = try? await save()
      }
    }
    // Whoever cancels it may have started another one.
    if !Task.isCancelled { autosaving = nil }
  }
}
