import Documents
import FilePackages
import Foundation

// The engine asks for the model's tree, and tells of its events.

extension ModelFile {
  /// Returns the tree to save; nil if the model is gone (MF1).
  func takeTree(
    _ configuration: FileDocumentWriteConfiguration
  ) async throws -> (FileWrapper, TreeGiver?)? {
    settle()
    // A save of this moment has failed, and no other one follows.
    if let failed = news.running { moments[failed] = nil }
    news.running = nil
    guard let owner else { return nil }
    var taken = prepared
    prepared = nil
    if taken == nil { taken = try await owner.takeTree(configuration) }
    guard let taken else { return nil }
    lastMoment += 1
    moments[lastMoment] = taken.moment
    news.running = lastMoment
    return (taken.tree, taken.giver)
  }

  // MARK: The engine tells

  /// Takes in the outcomes of saves, before anything that depends on them.
  func settle() {
    for (event, number) in news.takeEvents() {
      unheard.append(event)
      switch event {
      case .saved:
        hasFailed = false
        guard let number, let moment = moments[number] else { continue }
        moments = moments.filter { $0.key > number }
        // A moment that is not exact counts if nothing has changed since.
        if moment.isExact || isQuiet && edits == moment.edits {
          changes.save(moment.revision)
        } else {
          changes.forgetSaved()
        }
        tellEngine()
        owner?.didSave(moment)
      case .changedByOthers(let outcome, let paths):
        if outcome == .reloaded { reloaded += paths.isEmpty ? [""] : paths }
        owner?.diskDidChange()
        if outcome == .conflict || outcome == .merged { forgetSaved() }
      default: break
      }
    }
  }

  /// Takes in the events of the engine, in their order: a running call takes in those that come meanwhile, too.
  func hear() async {
    settle()
    if isHearing { return }
    isHearing = true
    while !unheard.isEmpty { await takeIn(unheard.removeFirst()) }
    isHearing = false
  }

  private func takeIn(_ event: DocumentEvent) async {
    // The tree that the other program's change met.
    let known = content?.read
    if case .changedByOthers(.deleted, _) = event {
      if let engine, await !engine.isOpen, self.engine === engine { (self.engine, content) = (nil, nil) }
    } else {
      await loadLater()
    }
    await refresh()
    owner?.note(event, knowing: known)
  }

  /// Loads what the engine has read, after the present call, if that is something new.
  func loadLater() async {
    // A closed document has no content.
    guard let engine, let present = try? await engine.content, present.link !== content?.link,
      self.engine === engine
    else { return }
    enqueue {
      guard self.engine === engine, let present = try? await engine.content,
        present.link !== self.content?.link
      else { return }
      self.holdEditing()
      defer { self.releaseEditing() }
      self.noteReading()
      do {
        try await self.adopt(engine, keepingEdits: true)
      } catch {
        await self.fail(error)
      }
    }
  }
}
