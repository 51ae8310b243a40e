import DurableIO
import FilePackages
import FoundationEssentials

// (1) What happened before it is watched is looked for once it is.
// (2) A document that nobody holds any more ends its watching: what hears holds it only while it takes something in.

extension Document {
  /// Takes in from now on what other programs do to the document where it is.
  func startWatching() async {
    watching?.cancel()
    watching = nil
    guard options.watchesDisk, medium.disk is PosixDisk, let storage else { return }
    let watcher: PackageWatcher
    do {
      watcher = try await PackageWatcher.watch(fileURL, knowing: storage.knownState)
    } catch {
      // What others do is found before anything is written over it.
      report(DocumentError(error, .open, fileURL))
      return
    }
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
