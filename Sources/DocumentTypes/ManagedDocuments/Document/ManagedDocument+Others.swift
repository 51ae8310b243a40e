public import Documents
import DurableIO
import FilePackages
public import FoundationEssentials
import SystemPackage

extension ManagedDocument {
  /// Handles the transactions that other programs have committed: notifies the observers, and updates
  /// `hasUnsavedChanges`.
  ///
  /// A document that watches the disk does so by itself. The error handler gets the errors.
  public func presentedItemDidChange() async {
    guard isOpen else { return }
    do {
      guard let head = try await store.takeInOthers() else { return }
      note(head)
      options.eventHandler?(
        .changedByOthers(
          .reloaded, paths: [PackageLayout.storeFolder.string + "/" + options.persistentStoreName]))
    } catch {
      // A call on a closed database needs no report.
      if isOpen {
        report(failure(of: error, .revert))
      }
    }
  }

  // MARK: Watching

  /// The times of a report: another program's single transaction is told soon, and many are told together.
  private static let watching = {
    var options = PackageWatcher.Options()
    (options.quietPeriod, options.latency) = (.milliseconds(50), .milliseconds(250))
    (options.pollInterval, options.maximumPaths) = (.seconds(1), 64)
    return options
  }()

  /// Begins to take in other programs' changes.
  func startWatching() async {
    guard core.behaviour.watchesDisk, isOpen else { return }
    do {
      let watcher = try await PackageWatcher.watch(fileURL, options: Self.watching)
      // Another program may have removed the document meanwhile.
      guard isOpen else { return await watcher.stop() }
      if let limitation = watcher.limitation { report(DocumentError(limitation, .open, fileURL)) }
      hear(watcher)
    } catch {
      report(DocumentError(error, .open, fileURL))
    }
  }

  /// Takes in an event of the watcher.
  public func hear(_ event: PackageWatcher.Event, at place: URL, in turn: DocumentTurn) async {
    switch event {
    case .changed, .overflow: await presentedItemDidChange()
    case .moved(let url): await presentedItemDidMove(to: url)
    case .replaced, .deleted: await perform { await $0.leaveIfAbsent() }
    }
  }

  // MARK: Moves

  /// Tells the document that another program moved it. Later reads and saves use `newURL`.
  ///
  /// A document that watches the disk notices a move by itself. The error handler gets an error if the package at
  /// `newURL` is another one, such as a copy on another file system.
  public func presentedItemDidMove(to newURL: URL) async {
    await perform { await $0.follow(to: newURL) }
  }

  private func follow(to newURL: URL) async {
    guard isOpen else { return }
    do {
      try store.place.follow(to: FilePath(of: newURL, for: .open))
    } catch {
      report(DocumentError(managed: error, .revert, newURL, store: options.persistentStoreName))
      return
    }
    await notePlace(newURL)
  }

  /// Notes the place at which a save found the package.
  func notePlace() async {
    let path = store.location.path
    // The path of the caller may have symbolic links.
    if path != knownPath { await notePlace(URL(filePath: path.string, directoryHint: .isDirectory)) }
  }

  private func notePlace(_ newURL: URL) async {
    knownPath = store.location.path
    if newURL.path == fileURL.path { return }
    core.fileURL = newURL
    if filePresenter != nil { await startPresenting(at: newURL) }
    options.eventHandler?(.moved(to: newURL))
  }

  // MARK: Removal

  private func leaveIfAbsent() async {
    guard isOpen else { return }
    do {
      try store.place.follow()
      await notePlace()
    } catch  where error.code == .noSuchFileOrDirectory {
      var removal = self.error(.deleted, .revert)
      removal.hasUnsavedChanges = hasUnsavedChanges
      report(removal)
      await leaveRemoved()
    } catch {
      // The next event or save looks again.
      report(failure(of: error, .revert))
    }
  }

  /// Tells the document that another program removes it: it saves and closes.
  public func accommodatePresentedItemDeletion() async throws(DocumentError) { try await close() }

  /// Leaves a package that another program removed. It can be read until the document is closed.
  func leaveRemoved() async {
    guard isOpen else { return }
    await leave {
      phase = .removed
      core.isRemoved = true
    }
    options.eventHandler?(.changedByOthers(.deleted, paths: []))
  }

  /// Closes the database of a removed package.
  func closeRemoved() async {
    guard case .removed = phase else { return }
    phase = .closed
    core.isRemoved = false
    do {
      try await folder.closeRemoved()
    } catch {
      report(failure(of: error, .close))
    }
  }
}
