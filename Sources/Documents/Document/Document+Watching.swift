import DurableIO
import FilePackages
import FoundationEssentials

// (1) What happened before it is watched is looked for once it is.
// (2) A document that nobody holds any more ends its watching: what hears holds it only while it takes something in.

extension Document {
  /// Takes in from now on what other programs do to the document where it is.
  func startWatching() async {
    guard let storage else { return }
    hear(await makeWatcher(of: storage, at: fileURL))
  }

  /// What tells of other programs; nil where the document does not watch, or cannot.
  func makeWatcher(of storage: DocumentStorage, at url: URL) async -> PackageWatcher? {
    guard options.watchesDisk, medium.disk is PosixDisk else { return nil }
    do {
      return try await PackageWatcher.watch(url, knowing: storage.knownState)
    } catch {
      // What others do is found before anything is written over it.
      report(DocumentError(error, .open, url))
      return nil
    }
  }

  /// Takes in from now on what the watcher tells, instead of what an earlier one did.
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
