public import FoundationEssentials
import Synchronization

// (1) `cancel()` returns at once: those that wait are told, an accessor that runs is left alone, and later calls run
//     none.

/// Takes turns with others who read and write the same items, in this process and in others, without a daemon.
///
/// Counterpart of `NSFileCoordinator`. While an accessor writes, no other coordinator's accessor reads or writes the
/// item; while it reads, none writes. Before, presenters of the item are asked to make way, and to save; afterwards they
/// are told. Only those who coordinate take part: the kernel is asked for nothing that binds other programs.
///
/// ```swift
/// let text = try await FileCoordinator().coordinate(readingItemAt: url) { url in
///   try String(contentsOf: url.appending(path: "Text.txt"), encoding: .utf8)
/// }
/// ```
///
/// Unlike Apple's, no call waits longer than its deadline for others: what it waits for then is in the error.
public final class FileCoordinator: Sendable {
  /// Accesses of one purpose never wait for each other, whatever coordinator or process they are of.
  public let purposeIdentifier: String

  private struct State {
    var isCancelled = false
    var waiting: [ObjectIdentifier: Task<Void, any Error>] = [:]
    var running: [ObjectIdentifier: CoordinatedAccess] = [:]
  }

  let registry: CoordinationRegistry
  private let presenter: (any FilePresenter)?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - filePresenter: the presenter on whose behalf it is: it is neither asked nor told.
  ///   - purposeIdentifier: what it is for; not empty. A coordinator without one has a purpose of its own.
  public convenience init(filePresenter: (any FilePresenter)? = nil, purposeIdentifier: String? = nil) {
    self.init(filePresenter: filePresenter, purposeIdentifier: purposeIdentifier, in: .shared)
  }

  package init(
    filePresenter: (any FilePresenter)? = nil, purposeIdentifier: String? = nil,
    in registry: CoordinationRegistry
  ) {
    precondition(purposeIdentifier?.isEmpty != true, "a purpose has a name")
    (presenter, self.registry) = (filePresenter, registry)
    self.purposeIdentifier = purposeIdentifier ?? UUID().uuidString
  }

  /// How long a call waits for others if it does not say.
  public static let defaultDeadline = Duration.seconds(30)

  // MARK: The main path

  /// Waits for the items, calls `accessor` and lets others go on.
  func access<Result>(
    _ intents: [FileAccessIntent], takingClaims: Bool = true, deadline: Duration,
    _ accessor: () async throws -> Result
  ) async throws -> Result {
    let access = CoordinatedAccess(
      intents, purpose: purposeIdentifier, in: registry, by: presenter.map { ObjectIdentifier($0) },
      takesClaims: takingClaims)
    try await wait(for: access, deadline)
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await CoordinatedAccess.$enclosing.withValue(CoordinatedAccess.enclosing + [access]) {
          try await accessor()
        })
    } catch {
      result = .failure(error)
    }
    await access.complete()
    state.withLock { $0.running[ObjectIdentifier(access)] = nil }
    // What it presents may be somewhere by now. Where that cannot be written down, it is so later.
    if let presenter { try? await registry.refresh(presenter) }
    return try result.get()
  }

  /// (1)
  private func wait(for access: CoordinatedAccess, _ deadline: Duration) async throws {
    let number = ObjectIdentifier(access)
    let cancelled = FileCoordinationError(.cancelled, item: access.intents.first?.url.path ?? "")
    let waiting = try state.withLock { state in
      if state.isCancelled { throw cancelled }
      let waiting = Task { try await access.begin() }
      state.waiting[number] = waiting
      return waiting
    }
    let alarm = Task {
      // One that is cancelled has nothing to say.
      guard (try? await Task.sleep(for: deadline)) != nil else { return }
      access.comeTooLate()
      waiting.cancel()
    }
    defer { alarm.cancel() }
    let result = await withTaskCancellationHandler {
      await waiting.result
    } onCancel: {
      waiting.cancel()
    }
    let isCancelled = state.withLock { state in
      state.waiting[number] = nil
      if case .success = result, !state.isCancelled { state.running[number] = access }
      return state.isCancelled
    }
    try result.get()
    if isCancelled {
      await access.end()
      throw cancelled
    }
  }

  /// Ends all waiting: those calls throw `cancelled`, as do all that come later. What runs already runs to its end.
  public func cancel() {
    let waiting = state.withLock { state in
      state.isCancelled = true
      return Array(state.waiting.values)
    }
    for task in waiting { task.cancel() }
  }

  // MARK: Moving

  /// Says that an item is going to be moved. Nothing has to be done before; it is there for code that says so.
  public func item(at oldURL: URL, willMoveTo newURL: URL) {}

  /// Says that an item was moved, within an accessor that writes it: presenters go on at the new place, and so do those who
  /// wait for the item.
  ///
  /// - Throws: `invalidName` for what is no file; `registry` where nobody can be told.
  public func item(at oldURL: URL, didMoveTo newURL: URL) async throws(FileCoordinationError) {
    let place = try await registry.place(of: oldURL)
    let running = state.withLock { Array($0.running.values) }
    for access in running where access.writes(place) {
      return try await access.note(from: oldURL, to: newURL)
    }
  }

  // MARK: Presenters

  /// Begins to ask and to tell the presenter. Where it is known already, finds out anew what it presents.
  ///
  /// A presenter that reads the item after this, within `coordinate(readingItemAt:)`, misses nothing.
  ///
  /// Cost: some system calls for the first one of a process, one write for each other.
  ///
  /// - Throws: `registry`.
  public static func addFilePresenter(_ presenter: any FilePresenter) async throws(FileCoordinationError) {
    try await CoordinationRegistry.shared.add(presenter)
  }

  /// Ends what `addFilePresenter(_:)` began; does nothing for one that is not known.
  public static func removeFilePresenter(_ presenter: any FilePresenter) async {
    await CoordinationRegistry.shared.remove(ObjectIdentifier(presenter))
  }

  /// The presenters of this process.
  public static var filePresenters: [any FilePresenter] { CoordinationRegistry.shared.table.presenters }
}
