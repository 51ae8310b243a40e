public import Documents
import FilePackages
import FoundationEssentials

extension ManagedDocument {
  /// Waits until other programs see the last save: the files under their names, and `Metadata.plist`.
  ///
  /// Readers of this library need not wait for it.
  ///
  /// Cost: a flush for `Metadata.plist`; for each changed file one more, and one for its folder.
  ///
  /// - Throws: `closed`; `file` if the save cannot be published. It is durable all the same, and the next save, the
  ///   closing or the next opening publishes it.
  public func synchronize() async throws(DocumentError) {
    guard isOpen else { throw error(.closed, .save) }
    // After the saves that were called before.
    await perform { _ in }
    await stopPublishingSoon()
    try await publish()
  }

  /// Publishes the last save a moment later, together with the saves that follow in that time.
  ///
  /// The document stays alive until then.
  func publishSoon() {
    publishing.isDue = true
    if publishing.task == nil { publishing.task = Task { await publishWhileDue() } }
  }

  private func publishWhileDue() async {
    while publishing.isDue {
      let due = core.clock.now() + PublishingSchedule.delay
      let wait = Task { [clock = core.clock] in await clock.sleep(due) }
      publishing.wait = wait
      await wait.value
      guard publishing.isDue else { break }
      publishing.isDue = false
      do {
        try await publish()
        publishing.hasFailed = false
      } catch {
        // The error handler has the error. The next save publishes this one, too.
        publishing.hasFailed = true
      }
    }
    publishing.task = nil
  }

  /// Publishes what a copy of the document did not let through: it had the package's lock.
  func publishAgain() {
    if isOpen && publishing.hasFailed { publishSoon() }
  }

  /// Leaves the publishing to the caller, and waits for one that runs.
  func stopPublishingSoon() async {
    publishing.isDue = false
    publishing.wait?.cancel()
    await publishing.task?.value
  }

  /// Publishes the last save in turn with other programs, and tells the outcome.
  ///
  /// - Throws: the reason why the save is not published, which the error handler has got, too.
  func publish() async throws(DocumentError) {
    guard isOpen else { return }
    let published: StoreFolder.Published?
    do {
      published = try await coordinated(.writingIntent(with: fileURL)) { [folder] in await folder.publish() }
    } catch {
      throw report(failure(of: error, .save))
    }
    try note(published, .save)
    do {
      try await folder.checkpointIfLarge()
    } catch {
      // The log has all transactions. The next publishing tries again.
      report(failure(of: error, .save))
    }
  }

  /// Publishes outside of a turn of other programs; the error handler has the error.
  public func publish(in turn: DocumentTurn) async {
    do { try note(await folder.publish(), .save) } catch {}
  }

  /// Tells the outcome of publishing.
  func note(
    _ published: StoreFolder.Published?, _ operation: DocumentError.Operation
  ) throws(DocumentError) {
    guard let published else { return }
    let hasConflict = !published.report.conflicts.isEmpty
    if hasConflict, case .open(var opened) = phase {
      opened.hasConflict = true
      phase = .open(opened)
      tellState()
    }
    if hasConflict || published.problem == nil { options.eventHandler?(.published(published.report)) }
    if let problem = published.problem {
      throw report(failure(of: problem, operation))
    }
  }
}
