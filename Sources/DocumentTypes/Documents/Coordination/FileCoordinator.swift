public import FoundationEssentials
import Synchronization

// Foundation has no `NSFileCoordinator` on Linux; if it gets one, that one takes the place of this folder.

/// Coordinates reads and writes of an item with other coordinators, in this process and in other processes, without a
/// daemon.
///
/// Counterpart of `NSFileCoordinator`. While an accessor writes an item, no other coordinator's accessor reads or
/// writes it. While an accessor reads an item, no other coordinator's accessor writes it. Before the access, presenters
/// of the item relinquish and save it; after a write they are notified. The kernel does not enforce this: programs that
/// do not use coordination read and write at any time.
///
/// ```swift
/// let text = try await FileCoordinator().coordinate(readingItemAt: url) { url in
///   try String(contentsOf: url.appending(path: "Text.txt"), encoding: .utf8)
/// }
/// ```
///
/// Unlike Apple's class, it ends each wait at the call's deadline. The error names the process that the call waited
/// for.
public final class FileCoordinator: Sendable {
  /// The purpose of this coordinator's accesses.
  ///
  /// Accesses with the same purpose never wait for each other, in any process.
  public let purposeIdentifier: String

  private struct State {
    var isCancelled = false
    var waiting: [ObjectIdentifier: Task<Void, any Error>] = [:]
    var alarms: [ObjectIdentifier: Task<Void, Never>] = [:]
    var running: [ObjectIdentifier: CoordinatedAccess] = [:]
  }

  let registry: CoordinationRegistry
  private let presenter: (any FilePresenter)?
  private let state = Mutex(State())

  /// Makes a coordinator.
  ///
  /// - Parameters:
  ///   - filePresenter: the presenter that makes these accesses; the coordinator neither asks nor notifies it.
  ///   - purposeIdentifier: the purpose of the accesses; not empty. Without one, the coordinator makes a unique one.
  public convenience init(filePresenter: (any FilePresenter)? = nil, purposeIdentifier: String? = nil) {
    self.init(filePresenter: filePresenter, purposeIdentifier: purposeIdentifier, in: .shared)
  }

  package init(
    filePresenter: (any FilePresenter)? = nil, purposeIdentifier: String? = nil,
    in registry: CoordinationRegistry
  ) {
    precondition(purposeIdentifier?.isEmpty != true, "a purpose identifier must not be empty")
    (presenter, self.registry) = (filePresenter, registry)
    self.purposeIdentifier = purposeIdentifier ?? UUID().uuidString
  }

  /// The time that a call waits for other programs if the caller gives no deadline.
  public static let defaultDeadline = Duration.seconds(30)

  // MARK: The main path

  /// Waits for the items, calls `accessor` and lets the next access begin.
  func access<Result>(
    _ intents: [FileAccessIntent], takingClaims: Bool = true, deadline: Duration,
    _ accessor: () async throws -> Result
  ) async throws -> Result {
    let access = try await begin(intents, takingClaims: takingClaims, deadline: deadline)
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await CoordinatedAccess.$enclosing.withValue(CoordinatedAccess.enclosing + [access]) {
          try await accessor()
        })
    } catch {
      result = .failure(error)
    }
    await end(access)
    return try result.get()
  }

  /// Waits for the items; the caller then ends the access.
  func begin(
    _ intents: [FileAccessIntent], takingClaims: Bool, deadline: Duration
  ) async throws -> CoordinatedAccess {
    let access = CoordinatedAccess(
      intents, purpose: purposeIdentifier, in: registry, by: presenter.map { ObjectIdentifier($0) },
      takesClaims: takingClaims)
    try await wait(for: access, deadline)
    return access
  }

  /// Lets the next access begin.
  func end(_ access: CoordinatedAccess) async {
    await access.complete()
    state.withLock { $0.running[ObjectIdentifier(access)] = nil }
    // The presenter may present an item by now. If the registration fails here, a later one makes up for it.
    if let presenter { try? await registry.refresh(presenter) }
  }

  /// Waits until the access may begin, or the deadline.
  ///
  /// After `cancel()` it throws at once. A running accessor runs on, and later calls run no accessor.
  private func wait(for access: CoordinatedAccess, _ deadline: Duration) async throws {
    let number = ObjectIdentifier(access)
    let cancelled = FileCoordinationError(.cancelled, item: access.intents.first?.url.path ?? "")
    let waiting = try state.withLock { state in
      if state.isCancelled { throw cancelled }
      let end = ContinuousClock.now + deadline
      let waiting = Task {
        // An access that need not wait has no alarm: the first timer of a process costs it threads.
        try await access.begin { [self] in setAlarm(for: access, at: end) }
      }
      state.waiting[number] = waiting
      return waiting
    }
    defer { state.withLock { $0.alarms.removeValue(forKey: number) }?.cancel() }
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

  /// Ends the wait of an access at its deadline.
  private func setAlarm(for access: CoordinatedAccess, at end: ContinuousClock.Instant) {
    let number = ObjectIdentifier(access)
    let alarm = Task { [self] in
      // A cancelled alarm must not go off.
      guard (try? await Task.sleep(until: end)) != nil else { return }
      access.comeTooLate()
      state.withLock { $0.waiting[number] }?.cancel()
    }
    state.withLock { $0.alarms[number] = alarm }
  }

  /// Ends all waiting calls: they and all later calls throw `cancelled`.
  ///
  /// A running accessor runs to its end.
  public func cancel() {
    let waiting = state.withLock { state in
      state.isCancelled = true
      return Array(state.waiting.values)
    }
    for task in waiting { task.cancel() }
  }

  // MARK: Moving

  /// Does nothing.
  ///
  /// It exists so that code for Apple's class compiles.
  public func item(at oldURL: URL, willMoveTo newURL: URL) {}

  /// Reports a move of an item, from within an accessor that writes it.
  ///
  /// Presenters of the item, and accesses that wait for it, then use the new URL.
  ///
  /// - Throws: `invalidName` if a URL is not a file URL; `registry` if other processes cannot be notified.
  public func item(at oldURL: URL, didMoveTo newURL: URL) async throws(FileCoordinationError) {
    let place = try await registry.place(of: oldURL)
    let running = state.withLock { Array($0.running.values) }
    for access in running where access.writes(place) {
      return try await access.note(from: oldURL, to: newURL)
    }
  }

  // MARK: Presenters

  /// Registers a presenter. For a registered one, it reads `presentedItemURL` again.
  ///
  /// A presenter that reads its item after this call, within `coordinate(readingItemAt:)`, misses no write.
  ///
  /// Cost: some system calls for the first presenter of a process, one write for each other presenter.
  ///
  /// - Throws: `registry`.
  public static func addFilePresenter(_ presenter: any FilePresenter) async throws(FileCoordinationError) {
    try await CoordinationRegistry.shared.add(presenter)
  }

  /// Ends the registration of a presenter; does nothing for an unregistered one.
  public static func removeFilePresenter(_ presenter: any FilePresenter) async {
    await CoordinationRegistry.shared.remove(ObjectIdentifier(presenter))
  }

  /// The registered presenters of this process.
  public static var filePresenters: [any FilePresenter] { CoordinationRegistry.shared.table.presenters }
}
