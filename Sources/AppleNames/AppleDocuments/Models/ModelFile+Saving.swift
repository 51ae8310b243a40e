import Documents
import DurableIO
import FilePackages
import Foundation

extension ModelFile {
  /// Saves the model as it is now.
  @discardableResult
  func save() async throws -> SaveReport {
    guard let engine else { throw DocumentError(.closed, .save, fileURL) }
    await drain()
    return try await saving { try await withModel(in: engine) { try await engine.save() } }
  }

  /// Saves a tree of the model to `url`.
  ///
  /// - Parameter taken: the tree of an earlier moment; nil for that of the model when the save asks for it.
  @discardableResult
  func save(
    _ taken: TakenModel?, to url: URL, for operation: DocumentSaveOperation
  ) async throws -> SaveReport {
    try await saving {
      if let engine, operation == .forOverwriting, url.standardized.path == fileURL.standardized.path {
        return try await withModel(taken, in: engine) {
          // If an autosave has written a later tree meanwhile, the save takes the present one.
          if taken?.moment.saves == self.news.saves { self.prepared = taken }
          return try await engine.save()
        }
      }
      if operation == .forOverwriting, FileManager.default.fileExists(atPath: url.path) {
        return try await replace(url, taken)
      }
      let content = content ?? ModelContent(of: self)
      let engine = engine ?? makeEngine(at: url, content)
      let report = try await withModel(taken, in: engine) {
        self.prepared = taken
        return try await engine.save(to: url, for: .forCreating)
      }
      attach(engine, content)
      return report
    }
  }

  /// Lets the engine write the model's changes, or those of a moment, within one access (MF4).
  private func withModel<Success: Sendable>(
    _ taken: TakenModel? = nil, in engine: Engine, _ body: @escaping @MainActor () async throws -> Success
  ) async throws -> Success {
    let wasUnsaved = taken?.moment.isUnsaved == true
    return try await access(engine) { @MainActor in
      // The model may have changed while the call waited for the access.
      if wasUnsaved || self.hasUnsavedChanges {
        await self.keepModel(in: engine)
        // A close that gives up later changes may have cleared it.
        await engine.updateChangeCount(.done)
      }
      return try await body()
    }
  }

  /// Runs `body` as one access of the engine, and returns its result.
  func access<Success: Sendable>(
    _ engine: Engine, _ body: @escaping @Sendable () async throws -> Success
  ) async throws -> Success {
    let result: Result<Success, any Error> = await engine.performAsynchronousFileAccess {
      do {
        return .success(try await body())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Gives the engine the model back, if it has read another program's change that the model has not got yet.
  private func keepModel(in engine: Engine) async {
    // A closed document has no content.
    guard let present = try? await engine.content, present.link !== content?.link else { return }
    noteReading()
    await keepEdits(in: engine)
  }

  private func saving(_ body: () async throws -> SaveReport) async throws -> SaveReport {
    defer { prepared = nil }
    do {
      let report = try await body()
      hasFailed = false
      settle()
      await refresh()
      return report
    } catch {
      hasFailed = true
      throw error
    }
  }

  /// Saves over a document that this one has not opened, and goes on there.
  private func replace(_ url: URL, _ taken: TakenModel?) async throws -> SaveReport {
    let engine = makeEngine(at: url, nil)
    do {
      try await engine.open()
      let content = try await engine.content
      content.link.tie(to: self)
      prepared = taken
      let report = try await engine.save()
      let old = self.engine
      attach(engine, content)
      if let old { await abandon(old) }
      return report
    } catch {
      await abandon(engine)
      throw error
    }
  }

  /// Saves unsaved changes, and closes the document.
  func close() async throws {
    guard let engine else { return }
    holdEditing()
    defer { releaseEditing() }
    try await withModel(in: engine) {
      var saved: UInt64?
      // The user may edit during a save. A model that changes with each save still closes.
      for _ in 0..<10 {
        // An edit of the present event counts, but not a group whose actions the owner has given up.
        if self.hasUnsavedChanges { self.endEvent() }
        if self.edits == saved { break }
        saved = self.edits
        if self.hasUnsavedChanges {
          // A save may have read another program's change.
          await self.keepModel(in: engine)
          try await engine.save()
        }
        self.settle()
        await self.messages.drain()
      }
      try await engine.close()
    }
    settle()
    (self.engine, content) = (nil, nil)
    forgetUndo()
    reportErrors()
    await refresh()
  }

  /// Runs `work`. An open document neither reads nor writes meanwhile.
  func hold(_ work: @escaping @Sendable () async -> Void) async {
    if let engine {
      await engine.performAsynchronousFileAccess(work)
    } else {
      await work()
    }
  }
}
