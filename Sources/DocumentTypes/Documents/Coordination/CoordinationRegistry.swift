import DurableIO
import FilePackages
import FoundationEssentials
package import SystemPackage

/// The link between this process and the other processes that coordinate; it runs on a thread of its own.
package actor CoordinationRegistry {
  /// The registry of this user's session.
  package static let shared = CoordinationRegistry(at: CoordinationFolder.standardPath)

  nonisolated let table = PresenterTable()
  private let path: FilePath
  private var folder: CoordinationFolder?
  private var registration: PresenterRegistration?

  private nonisolated let executor = QueueExecutor()

  /// The executor of this actor's own thread.
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// - Parameter path: the folder in which processes find each other.
  package init(at path: FilePath) { self.path = path }

  // MARK: Presenters

  package func add(_ presenter: any FilePresenter) throws(FileCoordinationError) {
    let isNew = !table.isPresenting(presenter)
    let (number, entry) = table.add(presenter)
    do throws(FileCoordinationError) {
      let folder = try openFolder()
      try attempt { () throws(SystemError) in
        if registration == nil { return try register(in: folder) }
        if let entry {
          try registration?.add(number, entry.place, isPackage: entry.isPackage)
        } else if !isNew {
          try registration?.remove(number)
        }
        try shorten(in: folder)
      }
    } catch {
      if isNew { _ = table.remove(ObjectIdentifier(presenter)) }
      throw error
    }
  }

  /// Looks up again where the presenter presents an item, if it is still registered.
  func refresh(_ presenter: any FilePresenter) throws(FileCoordinationError) {
    if table.isPresenting(presenter) { try add(presenter) }
  }

  package func remove(_ presenter: ObjectIdentifier) {
    guard let number = table.remove(presenter) else { return }
    if table.isEmpty {
      registration?.end()
      registration = nil
    } else {
      // Other processes then do not ask a presenter that is gone.
      try? registration?.remove(number)
    }
  }

  private func register(in folder: CoordinationFolder) throws(SystemError) {
    let new = try PresenterRegistration(in: folder) { [weak self] connection in
      Task { await self?.serve(connection) }
    }
    for entry in table.entries { try new.add(entry.number, entry.place, isPackage: entry.isPackage) }
    registration = new
  }

  /// Begins a new file if most records of the old one are about presenters that are gone.
  private func shorten(in folder: CoordinationFolder) throws(SystemError) {
    guard let old = registration, old.records > 1000 + 4 * table.entries.count else { return }
    try register(in: folder)
    // A process that connects to the old socket at this moment finds it gone, and looks again.
    old.end()
  }

  private func openFolder() throws(FileCoordinationError) -> CoordinationFolder {
    if let folder, folder.isThere { return folder }
    let new = try CoordinationFolder(at: path)
    folder = new
    if registration != nil { try attempt { () throws(SystemError) in try register(in: new) } }
    return new
  }

  // MARK: Accesses

  func request(
    _ intent: FileAccessIntent, purpose: String
  ) throws(FileCoordinationError) -> AccessRequest {
    try AccessRequest(intent, purpose: purpose)
  }

  func place(of url: URL) throws(FileCoordinationError) -> ItemPlace {
    try AccessRequest(.writingIntent(with: url), purpose: "").item
  }

  /// Returns whether no access waits or runs, no other process has presenters, and no other presenter here presents the
  /// item.
  ///
  /// Then the presenter may read and write at once, if it makes the accesses that ask it wait.
  func isAlone(_ presenter: any FilePresenter) throws(FileCoordinationError) -> Bool {
    guard table.isOnly(presenter), let own = registration?.file.name else { return false }
    let folder = try openFolder()
    return try attempt { () throws(SystemError) in
      if try folder.disk.list(folder.claims).count > 0 { return false }
      return try folder.disk.names(in: folder.presenters).allSatisfy { $0.parts.stem == own }
    }
  }

  /// The other processes that have presenters.
  func processes() throws(FileCoordinationError) -> [PresenterProcess] {
    let folder = try openFolder()
    return try attempt { () throws(SystemError) in
      try PresenterProcess.all(in: folder, except: registration?.file.name)
    }
  }

  enum Connecting {
    case connected(Connection)
    /// The process has ended, or has no presenters.
    case gone
    /// The process has not yet accepted the many connections before this one.
    case busy
  }

  func connect(to process: PresenterProcess) throws(FileCoordinationError) -> Connecting {
    let folder = try openFolder()
    return try attempt { () throws(SystemError) in
      do throws(SystemError) {
        return .connected(try process.connect(in: folder))
      } catch {
        switch error.code {
        case .noSuchFileOrDirectory, .connectionRefused, .permissionDenied: return .gone
        case .resourceTemporarilyUnavailable, .wouldBlock: return .busy
        default: throw error
        }
      }
    }
  }

  func claim(_ requests: [AccessRequest]) throws(FileCoordinationError) -> Claim {
    let folder = try openFolder()
    return try attempt { () throws(SystemError) in try Claim(requests, in: folder) }
  }

  func release(_ claim: Claim) { claim.release() }

  /// Runs work on a claim, on the thread of the registry.
  func run<Result: Sendable>(
    _ body: @Sendable () throws(SystemError) -> Result
  ) throws(FileCoordinationError) -> Result {
    try attempt(body)
  }

  private func attempt<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(FileCoordinationError) -> Result {
    do {
      return try body()
    } catch {
      throw FileCoordinationError(.registry, item: path.string, reason: "\(error)", cause: error)
    }
  }
}

extension CoordinationRegistry {
  /// Answers another process that asks or tells the presenters here.
  nonisolated fileprivate func serve(_ connection: Connection) async {
    defer { connection.close() }
    var messages = connection.messages.makeAsyncIterator()
    switch await messages.next() {
    case .ask(let request):
      let relinquishment: Relinquishment
      do {
        relinquishment = try await table.ask(request, except: nil)
        // If the process has ended, the next message shows it.
        try? connection.send(.ready)
      } catch {
        // A process that has ended needs no answer.
        try? connection.send(.refused(reason: "\(error)"))
        return
      }
      // A process that ended without a message may have written.
      var moves: [ItemMove] = []
      if case .done(let made) = await messages.next() { moves = made }
      await tell(request, moves: moves, except: nil)
      await relinquishment.reacquire()
    case .tell(let request, let moves): await tell(request, moves: moves, except: nil)
    case .ready, .refused, .done, nil: break
    }
  }

  /// Tells the presenters here of a write.
  nonisolated func tell(
    _ request: AccessRequest, moves: [ItemMove], except initiator: ObjectIdentifier?
  ) async {
    if request.kind == .read { return }
    await table.tell(request, moves: moves, except: initiator)
    if moves.isEmpty { return }
    for presenter in table.presenters {
      // If the registration fails here, other processes find the presenter by its node.
      try? await refresh(presenter)
    }
  }
}
