import DurableIO
import FilePackages
import FoundationEssentials

// (1) The document looks for earlier changes once, when the watcher runs.
// (2) Watching ends with the document: the watching task holds the document only while it takes in an event.

extension Document {
  /// Begins to take in other programs' changes at the document's place.
  func startWatching() async {
    guard let storage else { return }
    hear(await makeWatcher(of: storage, at: fileURL))
  }

  /// Makes a watcher; nil if the document does not watch, or if no watcher can run.
  func makeWatcher(of storage: DocumentStorage, at url: URL) async -> PackageWatcher? {
    guard options.watchesDisk, medium.disk is PosixDisk else { return nil }
    do {
      return try await PackageWatcher.watch(url, knowing: storage.knownState)
    } catch {
      // A save still finds the changes of other programs before it writes over them.
      report(DocumentError(error, .open, url))
      return nil
    }
  }

  /// Begins to take in the events of this watcher, in place of an earlier one.
  func hear(_ watcher: PackageWatcher?) {
    watching?.cancel()
    watching = nil
    guard let watcher else { return }
    watching = Task { [weak self] in
      // (1)
      await self?.presentedItemDidChange()
      for await event in watcher {
        // (2)
        guard let self, !Task.isCancelled else { break }
        await self.takeIn(event)
      }
      await watcher.end()
    }
  }

  private func takeIn(_ event: PackageWatcher.Event) async {
    switch event {
    case .changed, .replaced, .overflow: await presentedItemDidChange()
    case .moved(let url): await follow(to: url)
    case .deleted:
      do {
        try await accommodatePresentedItemDeletion()
      } catch {
        report(error)
      }
    }
  }
}
