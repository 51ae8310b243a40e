import Documents
import DurableIO
import FilePackages
import FoundationEssentials

extension ManagedDocument {
  /// Takes in the transactions that other programs have committed: tells the observers, and whether there are unsaved
  /// edits.
  ///
  /// A document that watches the disk does so by itself. Errors go to the error handler.
  public func presentedItemDidChange() async {
    guard isOpen else { return }
    do {
      guard let head = try await store.takeInOthers() else { return }
      note(head)
      options.eventHandler?(
        .changedByOthers(
          .reloaded, paths: [ManagedStore.storeFolder.string + "/" + options.persistentStoreName]))
    } catch {
      // A call on a closed database needs no report.
      if isOpen {
        report(DocumentError(managed: error, .revert, fileURL, store: options.persistentStoreName))
      }
    }
  }

  // MARK: Watching

  /// The times of a report: another program's single transaction is told soon, and many are told together.
  private static let watching = PackageWatcher.Options(
    quietPeriod: .milliseconds(50), latency: .milliseconds(250), pollInterval: .seconds(1), maximumPaths: 64)

  /// Begins to take in other programs' changes.
  func startWatching() async {
    watching?.cancel()
    watching = nil
    guard options.watchesDisk, isOpen else { return }
    do {
      let watcher = try await PackageWatcher.watch(fileURL, options: Self.watching)
      if let limitation = watcher.limitation { report(DocumentError(limitation, .open, fileURL)) }
      watching = Task { [weak self] in
        // The watcher reports no transaction from before it ran.
        await self?.presentedItemDidChange()
        for await event in watcher {
          // Watching ends with the document: this task holds it only while it takes in an event.
          guard let self, !Task.isCancelled else { break }
          await self.takeIn(event)
        }
        await watcher.stop()
      }
    } catch {
      report(DocumentError(error, .open, fileURL))
    }
  }

  private func takeIn(_ event: PackageWatcher.Event) async {
    switch event {
    case .changed, .overflow: await presentedItemDidChange()
    case .moved, .replaced, .deleted: break
    }
  }
}
