import AppleCloud

/// The steps by which a document-based app uses the cloud, with Apple's calls alone.
@MainActor
final class NotesController {
  private let query = NSMetadataQuery()
  private var observers: [any NSObjectProtocol] = []
  /// The folder of the documents in the cloud; nil without the cloud.
  private(set) var documentsURL: URL?
  /// The documents that the query found, by name.
  private(set) var notes: [URL] = []

  // MARK: Is the cloud on?

  var isCloudOn: Bool { FileManager.default.ubiquityIdentityToken != nil }

  func observeAccount(_ changed: @escaping @MainActor () -> Void) {
    observe(.NSUbiquityIdentityDidChange, of: nil) { _ in changed() }
  }

  // MARK: The container's URL

  /// Asks for the container off the main thread, since the answer may take time.
  func findContainer() async throws {
    let identifier = "iCloud.org.example.notes"
    documentsURL = try await offMain {
      FileManager.default.url(forUbiquityContainerIdentifier: identifier)?
        .appendingPathComponent("Documents", isDirectory: true)
    }
  }

  // MARK: Moving a document to the container

  func moveToCloud(_ url: URL) async throws -> URL {
    guard let documentsURL else { throw CocoaError(.ubiquitousFileUnavailable) }
    let destination = documentsURL.appendingPathComponent(url.lastPathComponent)
    try await offMain {
      try FileManager.default.setUbiquitous(true, itemAt: url, destinationURL: destination)
    }
    return destination
  }

  func moveFromCloud(_ url: URL, to destination: URL) async throws {
    try await offMain {
      try FileManager.default.setUbiquitous(false, itemAt: url, destinationURL: destination)
    }
  }

  // MARK: Asking for the documents

  func startQuery() {
    query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
    query.predicate = NSPredicate(format: "%K LIKE %@", NSMetadataItemFSNameKey, "*.guidenote")
    query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
    query.notificationBatchingInterval = 0.1
    for name in [NSNotification.Name.NSMetadataQueryDidFinishGathering, .NSMetadataQueryDidUpdate] {
      observe(name, of: query) { controller in controller.takeResults() }
    }
    query.start()
  }

  func stopQuery() {
    query.stop()
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    observers = []
  }

  // MARK: Taking the results

  private func takeResults() {
    query.disableUpdates()
    defer { query.enableUpdates() }
    notes = query.results.compactMap { result in
      (result as? NSMetadataItem)?.value(forAttribute: NSMetadataItemURLKey) as? URL
    }
  }

  // MARK: Downloading

  /// Begins the download of a document that is not here in its newest state; returns whether it is here.
  func download(_ url: URL) throws -> Bool {
    let values = try url.resourceValues(forKeys: [.isUbiquitousItemKey, .ubiquitousItemDownloadingStatusKey])
    guard values.isUbiquitousItem == true else { return true }
    if values.ubiquitousItemDownloadingStatus == .current { return true }
    try FileManager.default.startDownloadingUbiquitousItem(at: url)
    return false
  }

  func evict(_ url: URL) async throws {
    try await offMain { try FileManager.default.evictUbiquitousItem(at: url) }
  }

  // MARK: Conflicts

  /// Makes the newest of all versions the document, and ends the conflict.
  func resolveConflict(of note: Note) async throws {
    let url = note.fileURL
    let winner = try await offMain { () throws -> NSFileVersion? in
      guard let current = NSFileVersion.currentVersionOfItem(at: url) else { return nil }
      let conflicts = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
      let newest = conflicts.max { Self.date($0) < Self.date($1) }
      guard let newest, Self.date(newest) > Self.date(current) else { return nil }
      try newest.replaceItem(at: url)
      return newest
    }
    if winner != nil { await note.revert(toContentsOf: url) }
    try await offMain {
      for version in NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? [] {
        version.isResolved = true
      }
      try NSFileVersion.removeOtherVersionsOfItem(at: url)
    }
  }

  private nonisolated static func date(_ version: NSFileVersion) -> Date {
    version.modificationDate ?? .distantPast
  }

  // MARK: Removing

  /// Removes a document that is here, on all machines.
  func remove(_ url: URL) async throws {
    try await offMain {
      var (failure, removal) = (nil as NSError?, nil as (any Error)?)
      NSFileCoordinator(filePresenter: nil)
        .coordinate(writingItemAt: url, options: .forDeleting, error: &failure) { url in
          do { try FileManager.default.removeItem(at: url) } catch { removal = error }
        }
      if let error = failure ?? removal { throw error }
    }
  }

  // MARK: Threads

  private func observe(
    _ name: NSNotification.Name, of object: AnyObject?, _ body: @escaping @MainActor (NotesController) -> Void
  ) {
    observers.append(
      NotificationCenter.default.addObserver(forName: name, object: object, queue: .main) { [weak self] _ in
        Task { @MainActor in if let self { body(self) } }
      })
  }

  /// Runs a call that waits, on another thread.
  private nonisolated func offMain<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }
}
