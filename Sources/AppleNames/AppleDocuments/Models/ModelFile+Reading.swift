import Documents
import DurableIO
import FilePackages
import Foundation

extension ModelFile {
  /// Opens the document at `fileURL`, and makes its owner from what it reads.
  func open<Owner: ModelOwner>(
    _ makeOwner: (Engine, FileWrapper, UTType) async throws -> Owner
  ) async throws -> Owner {
    let engine = makeEngine(at: fileURL, nil)
    do {
      try await engine.open()
      let content = try await engine.content
      let tree = content.read ?? FileWrapper(directoryWithFileWrappers: [:])
      let owner = try await makeOwner(engine, tree, await type(of: tree, in: engine))
      self.owner = owner
      attach(engine, content)
      await refresh()
      await loadLater()
      return owner
    } catch {
      await abandon(engine)
      throw error
    }
  }

  /// Makes the engine of a new document, which the next save makes.
  func makeNew() -> Engine {
    let content = ModelContent(of: self)
    let engine = makeEngine(at: fileURL, content)
    (self.engine, self.content) = (engine, content)
    return engine
  }

  private func type(of tree: FileWrapper, in engine: Engine) async -> UTType {
    types.typeToRead(
      await engine.fileType, pathExtension: fileURL.pathExtension, isDirectory: tree.isDirectory)
  }

  /// Opens the document at `fileURL`; does nothing if it is open.
  func open() async throws {
    if engine != nil { return }
    let engine = makeEngine(at: fileURL, nil)
    do {
      try await engine.open()
      try await adopt(engine)
    } catch {
      await abandon(engine)
      throw error
    }
  }

  /// Reads the document from `url`, and gives up the changes. A closed document is opened.
  func revert(to url: URL) async throws {
    holdEditing()
    defer { releaseEditing() }
    guard let engine else {
      let old = fileURL
      fileURL = url
      do {
        return try await open()
      } catch {
        fileURL = old
        throw error
      }
    }
    await drain()
    if url.standardized.path == fileURL.standardized.path {
      try await engine.revert(toContentsOf: url)
      noteReading()
      return try await adopt(engine)
    }
    // Until the model has the other document, this one stays as it is (MF3), and no autosave writes the other's model.
    try await access(engine) { @MainActor in
      let other = self.makeEngine(at: url, nil)
      do {
        try await other.open()
        try await self.adopt(other)
      } catch {
        self.hasFailed = true
        await self.abandon(other)
        throw error
      }
      await self.abandon(engine)
    }
  }

  /// Goes on with the document at `url`, whose contents the model has read already.
  ///
  /// - Parameter isCurrent: whether the disk still has those contents; otherwise the model reads them again.
  func follow(_ url: URL, isCurrent: () -> Bool) async throws {
    let engine = self.engine ?? makeEngine(at: url, nil)
    do {
      await messages.drain()
      try await engine.revert(toContentsOf: url)
      let content = try await engine.content
      // The changes since the model was read go on.
      attach(engine, content)
      if !isCurrent() {
        noteReading()
        return try await adopt(engine, keepingEdits: true)
      }
      hasFailed = false
      await refresh()
    } catch {
      if self.engine !== engine { await abandon(engine) }
      throw error
    }
  }

  /// Loads the edits of a recovery copy, as an unsaved change.
  func recover(_ copy: RecoveryCopy, in engine: Engine) async throws {
    holdEditing()
    defer { releaseEditing() }
    await drain()
    try await engine.recover(copy)
    do {
      try await adopt(engine)
    } catch {
      await engine.offerAgain()
      throw error
    }
    count(.done)
  }

  /// Gives the model what the engine has read.
  ///
  /// - Parameter keepsEdits: whether the model's changes stay, over what the engine has read.
  func adopt(_ engine: Engine, keepingEdits keepsEdits: Bool = false) async throws {
    let content = try await engine.content
    let url = await engine.fileURL
    news.present(await engine.filePresenter)
    var isAsOnDisk = true
    if let tree = content.read, let owner {
      do {
        let update = try await owner.read(tree, as: await type(of: tree, in: engine), at: url)
        // The user edited while the document was read: the edits stay, and the next save writes them.
        if keepsEdits && hasUnsavedChanges { return await keepEdits(in: engine) }
        settle()
        isAsOnDisk = try await update()
      } catch {
        if self.engine === engine {
          hasFailed = true
          await keepEdits(in: engine)
        }
        throw error
      }
    }
    changes.change()
    changes.save(changes.current)
    if !isAsOnDisk { changes.forgetSaved() }
    attach(engine, content)
    forgetUndo()
    hasFailed = false
    // A recovery copy's edits are in the model, and not on disk.
    if keepsEdits, await engine.hasUnsavedChanges { forgetSaved() }
    await refresh()
    await loadLater()
  }

  func attach(_ engine: Engine, _ content: ModelContent) {
    (self.engine, self.content, reloaded) = (engine, content, [])
    content.link.tie(to: self)
    if changes.hasUnsavedChanges { tellEngine() }
  }

  func forgetSaved() {
    changes.forgetSaved()
    tellEngine()
  }

  /// Notes that the model has not got what the engine has read.
  func noteReading() {
    settle()
    if reloaded.isEmpty { reloaded = [""] }
  }

  /// Goes on with the model as it is, over the state that the engine has read (MF3).
  ///
  /// Another program's children that the model has not got become conflict versions.
  func keepEdits(in engine: Engine) async {
    guard let content else { return }
    repeat {
      let paths = reloaded
      reloaded = []
      await engine.resume(withEarlierEdits: content, clashingAt: paths)
      // The engine may have read another change just before it got the edits.
      settle()
    } while !reloaded.isEmpty
    forgetSaved()
    await refresh()
  }

  func makeEngine(at url: URL, _ content: ModelContent?) -> Engine {
    var options = options(url)
    let (eventHandler, errorHandler) = (options.eventHandler, options.errorHandler)
    options.eventHandler = { [news] event in
      news.note(event)
      eventHandler?(event)
    }
    options.errorHandler = { [news] error in
      news.note(error)
      errorHandler?(error)
    }
    return Engine(fileURL: url, content: content, options: options)
  }

  func abandon(_ engine: Engine) async {
    try? await engine.close(discardingChanges: true)  // No edit is lost; the first error counts.
  }
}
