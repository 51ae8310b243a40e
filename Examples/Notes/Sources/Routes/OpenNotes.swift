import Documents
import FilePackages
import Foundation

/// The open documents.
///
/// A document is opened for the first page, and closed some minutes after the last one has gone. So a page that is
/// loaded again still has the document's undo.
actor OpenNotes {
  private let library: NotesLibrary
  private var sessions: [DocumentID: Task<NotesSession, any Error>] = [:]
  private var sweeping: Task<Void, Never>?

  init(_ library: NotesLibrary) { self.library = library }

  /// Returns the session of a document, and opens the document if it is not open.
  func session(_ id: DocumentID) async throws -> NotesSession {
    if let running = sessions[id] {
      let session = try await running.value
      if await session.isOpen { return session }
      // The document was removed, and may be back.
      forget(id, running)
      await session.endChannels()
    }
    if let running = sessions[id] { return try await running.value }
    // No `await` comes between the look into the table and this: all pages of a document have one session.
    let task = Task { [library] in
      let entry = try await library.entry(id)
      return try await NotesSession(id, at: entry.url, provider: library.places.provider(entry.place)) {
        id, old, url in
        let move = await library.noteMove(of: id, from: old, to: url)
        if case .moved(let new) = move { await self.rename(id, to: new) }
        return move
      }
    }
    sessions[id] = task
    do {
      let session = try await task.value
      sweep()
      return session
    } catch {
      forget(id, task)
      throw error
    }
  }

  /// Returns the session of an open document; nil if it is not open.
  func openSession(_ id: DocumentID) async -> NotesSession? { try? await sessions[id]?.value }

  /// Pages of documents that are there again connect again.
  func revive(_ ids: Set<DocumentID>) async {
    for id in ids {
      guard let task = sessions[id], let session = try? await task.value, await !session.isOpen else {
        continue
      }
      forget(id, task)
      await session.endChannels()
    }
  }

  /// Saves and closes a document before it is moved by the server.
  ///
  /// - Throws: the error of the save; the document is then open.
  func close(_ id: DocumentID) async throws {
    guard let task = sessions[id], let session = try? await task.value else { return }
    try await session.close()
    forget(id, task)
  }

  /// Forgets a session, but not one that a page has opened meanwhile.
  private func forget(_ id: DocumentID, _ task: Task<NotesSession, any Error>) {
    if sessions[id] == task { sessions[id] = nil }
  }

  /// Saves and closes all documents.
  ///
  /// - Returns: the errors of documents that could not be saved; their edits are in recovery copies.
  func closeAll() async -> [any Error] {
    sweeping?.cancel()
    var errors: [any Error] = []
    // A document that is being opened may wait for its download.
    for task in sessions.values { task.cancel() }
    for task in sessions.values {
      guard let session = try? await task.value else { continue }
      do {
        try await session.close()
      } catch {
        errors.append(error)
      }
    }
    sessions = [:]
    return errors
  }

  private func rename(_ old: DocumentID, to new: DocumentID) {
    guard old != new, let task = sessions.removeValue(forKey: old) else { return }
    guard let other = sessions.updateValue(task, forKey: new) else { return }
    // A page that found the new name first has a session of its own. It connects again, to this one. Edits that cannot be
    // saved are in a recovery copy.
    Task { try? await other.value.close() }
  }

  /// Closes documents that no page has shown for a while, as long as there are open ones.
  private func sweep() {
    guard sweeping == nil else { return }
    sweeping = Task { [weak self] in
      while let self, await self.closeIdle(for: .seconds(600)) {
        guard (try? await Task.sleep(for: .seconds(30))) != nil else { return }
      }
    }
  }

  private func closeIdle(for time: Duration) async -> Bool {
    for (id, task) in sessions {
      guard let session = try? await task.value, let since = await session.idleSince,
        since + time < .now
      else { continue }
      // A document that cannot be saved stays open, with its edits.
      if (try? await session.close()) != nil { forget(id, task) }
    }
    if sessions.isEmpty { sweeping = nil }
    return !sessions.isEmpty
  }
}
