import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage

// CA1 An access holds no claim while it waits for presenters. The saves that they make in answer do not wait for it.
// CA2 An access claims all its items at once, so that no two accesses wait for each other.
// CA3 Each wait ends at the deadline, or when its task is cancelled. Then presenters reacquire their items, and no
//     claim remains.
// CA4 An access inside another one is refused if it would have to wait for the outer one.

/// One access, from the question to the presenters to the news of its end.
final class CoordinatedAccess: Sendable {
  /// The accesses that this task is part of.
  @TaskLocal static var enclosing: [CoordinatedAccess] = []

  private struct State {
    var requests: [AccessRequest] = []
    var parties: [AskedPresenters] = []
    var claim: Claim?
    var moves: [ItemMove] = []
    var awaited: FileCoordinationError?
    /// Called when the access has to wait for the first time.
    var onWait: (@Sendable () -> Void)?
    var wasTooLate = false
    var isOver = false
  }

  let intents: [FileAccessIntent]
  let purpose: String
  let takesClaims: Bool
  private let registry: CoordinationRegistry
  private let initiator: ObjectIdentifier?
  private let state = Mutex(State())

  init(
    _ intents: [FileAccessIntent], purpose: String, in registry: CoordinationRegistry,
    by initiator: ObjectIdentifier?, takesClaims: Bool
  ) {
    (self.intents, self.purpose, self.registry) = (intents, purpose, registry)
    (self.initiator, self.takesClaims) = (initiator, takesClaims)
  }

  // MARK: Beginning

  /// Waits until the access may begin.
  ///
  /// - Parameter onWait: called once if the access has to wait for presenters or for another access.
  func begin(onWait: @escaping @Sendable () -> Void = {}) async throws {
    state.withLock { $0.onWait = onWait }
    do {
      while true {
        try Task.checkCancellation()
        var requests: [AccessRequest] = []
        for intent in intents { requests.append(try await registry.request(intent, purpose: purpose)) }
        state.withLock { $0.requests = requests }
        let (isIncluded, mayWait) = try relation(to: Self.enclosing)
        if isIncluded { return }
        let asked = try await askPresenters(requests)
        if !takesClaims { return }
        // The claim comes after the answers (CA1).
        let isThere = try await take(requests, mayWait)
        // A presenter may have come in between. A presenter that comes later finds the claim.
        let unasked = isThere ? try await unasked(requests, asked) : []
        if isThere && unasked.isEmpty { return }
        await end()
      }
    } catch {
      await end()
      throw failure(error)
    }
  }

  /// Returns whether an enclosing access includes this one, and whether this one may wait (CA4).
  private func relation(
    to enclosing: [CoordinatedAccess]
  ) throws(FileCoordinationError) -> (isIncluded: Bool, mayWait: Bool) {
    let mine = state.withLock(\.requests)
    var mayWait = true
    for outer in enclosing where outer.registry === registry {
      let theirs = outer.claimed
      if theirs.isEmpty { continue }
      if outer.purpose == purpose {
        if mine.allSatisfy({ mine in theirs.contains { $0.includes(mine) } }) { return (true, true) }
        mayWait = mayWait && !mine.contains { mine in theirs.contains { mine.overlaps($0) } }
      } else if let request = mine.first(where: { mine in theirs.contains { mine.conflicts(with: $0) } }) {
        throw FileCoordinationError(.wouldDeadlock, item: request.item.path.string)
      }
    }
    return (false, mayWait)
  }

  /// Returns whether the same coordinator asked for it already, with `prepare`.
  private func isPrepared(for request: AccessRequest) -> Bool {
    Self.enclosing.contains { outer in
      outer.purpose == purpose && outer.registry === registry && !outer.takesClaims
        && outer.state.withLock { !$0.isOver && $0.requests.contains { $0.includes(request) } }
    }
  }

  private var claimed: [AccessRequest] {
    state.withLock { $0.isOver || $0.claim == nil ? [] : $0.requests }
  }

  /// The presenters that were asked, by process; nil is this process.
  private typealias Asked = [FileName?: Set<UInt64>]

  /// Asks all presenters that the requests concern, until none is left.
  private func askPresenters(_ requests: [AccessRequest]) async throws -> Asked {
    var asked: Asked = [:]
    while true {
      var parties: [AskedPresenters] = []
      for (request, process, numbers) in try await unasked(requests, asked) {
        asked[process?.name, default: []].formUnion(numbers)
        parties.append(
          process.map { .init(request, $0, in: registry) }
            ?? .init(request, here: registry, except: initiator))
      }
      if parties.isEmpty { return asked }
      state.withLock { $0.parties += parties }
      try await answers(of: parties)
    }
  }

  /// Returns the concerned presenters that were not asked yet.
  private func unasked(
    _ requests: [AccessRequest], _ asked: Asked
  ) async throws -> [(AccessRequest, PresenterProcess?, Set<UInt64>)] {
    let requests = requests.filter { $0.asksPresenters && !isPrepared(for: $0) }
    var found: [(AccessRequest, PresenterProcess?, Set<UInt64>)] = []
    for request in requests {
      found.append((request, nil, registry.table.numbers(concernedBy: request, except: initiator)))
    }
    for process in try await registry.processes() {
      for request in requests { found.append((request, process, process.numbers(concernedBy: request))) }
    }
    return found.filter { _, process, numbers in !numbers.isSubset(of: asked[process?.name, default: []]) }
  }

  private func answers(of parties: [AskedPresenters]) async throws {
    let (answers, continuation) = AsyncStream.makeStream(
      of: (Int, Result<Void, FileCoordinationError>).self)
    for (index, party) in parties.enumerated() {
      Task { continuation.yield((index, await party.answer())) }
    }
    var waiting = Set(parties.indices)
    while let index = waiting.first {
      wait(for: .presenterTimeout, parties[index].request, parties[index].holder)
      guard let (index, answer) = await answers.first(where: { _ in true }) else { throw CancellationError() }
      try answer.get()
      waiting.remove(index)
    }
    wait(for: nil)
    try Task.checkCancellation()
  }

  /// Claims all items (CA2). Returns false if an item was moved, so that the access has to ask again.
  private func take(_ requests: [AccessRequest], _ mayWait: Bool) async throws -> Bool {
    let claim = try await registry.claim(requests)
    state.withLock { $0.claim = claim }
    var known = Claim.KnownClaims()
    var pause = Duration.microseconds(500)
    while true {
      let blocker: Claim.Found?
      (blocker, known) = try await registry.run { [known] () throws(SystemError) in
        var known = known
        return (try claim.blocker(&known), known)
      }
      guard let blocker, let request = requests.first, let theirs = blocker.requests.first else { break }
      if !mayWait {
        throw FileCoordinationError(
          .wouldDeadlock, item: request.item.path.string, holder: theirs.holder)
      }
      wait(for: .timeout, request, theirs.holder)
      try await Task.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(16))
    }
    wait(for: nil)
    return try await !follow(registry.run { [known] () throws(SystemError) in try known.moves() })
  }

  /// Returns whether an item has moved, and gives each intent its new place.
  private func follow(_ moves: [ItemMove]) async throws -> Bool {
    var hasMoved = false
    for (intent, request) in zip(intents, state.withLock(\.requests)) {
      var place = request.item
      for move in moves { place = place.moved(from: move.old, to: move.new) ?? place }
      if place.names == request.item.names { continue }
      // A replacing write stays at its place, and the item that was found there has moved away.
      if !request.writingOptions.contains(.forReplacing) {
        intent.url = URL(place, isDirectory: intent.url.hasDirectoryPath)
      }
      hasMoved = true
    }
    return hasMoved
  }

  // MARK: Giving up

  /// Notes that the deadline is over; the coordinator then cancels the wait (CA3).
  func comeTooLate() { state.withLock { $0.wasTooLate = true } }

  private func wait(
    for code: FileCoordinationError.Code?, _ request: AccessRequest? = nil, _ holder: FileAccessHolder? = nil
  ) {
    let error = code.map {
      FileCoordinationError($0, item: request?.item.path.string ?? "", holder: holder)
    }
    let onWait = state.withLock { state in
      state.awaited = error
      return error == nil ? nil : state.onWait.take()
    }
    onWait?()
  }

  private func failure(_ error: any Error) -> any Error {
    guard error is CancellationError else { return error }
    let item = intents.first?.url.path ?? ""
    return state.withLock { state in
      guard state.wasTooLate else { return FileCoordinationError(.cancelled, item: item) }
      return state.awaited ?? FileCoordinationError(.timeout, item: item)
    }
  }

  // MARK: Moving and ending

  func note(from old: URL, to new: URL) async throws(FileCoordinationError) {
    let new = try await registry.place(of: new)
    var old = try await registry.place(of: old)
    if !old.isThere { old.nodes[0] = new.node }
    let move = ItemMove(old: old, new: new)
    if let claim = state.withLock({ $0.claim }) {
      try await registry.run { () throws(SystemError) in try claim.note(move) }
    }
    state.withLock { $0.moves.append(move) }
  }

  /// Returns whether this access writes the item at `place`.
  func writes(_ place: ItemPlace) -> Bool {
    claimed.contains { $0.kind == .write && ($0.unit.isSame(as: place) || $0.unit.encloses(place)) }
  }

  /// Ends the claim and tells the asked presenters.
  func end() async {
    let (claim, parties, moves) = state.withLock { state in
      defer { (state.claim, state.parties, state.moves) = (nil, [], []) }
      return (state.claim, state.parties, state.moves)
    }
    if let claim { await registry.release(claim) }
    for party in parties { party.finish(moves) }
  }

  /// Ends the access after its accessor, and tells also the presenters that were not asked.
  func complete() async {
    let (writes, parties, moves) = state.withLock { state in
      state.isOver = true
      return (
        state.claim == nil ? [] : state.requests.filter { $0.kind == .write }, state.parties, state.moves
      )
    }
    await end()
    for request in writes {
      let asked = Set(parties.filter { $0.request == request }.map(\.process))
      if !asked.contains(nil) {
        Task { [registry, initiator] in await registry.tell(request, moves: moves, except: initiator) }
      }
      // If the processes cannot be listed, there are no presenters to tell. A process that cannot be reached has ended.
      for process in (try? await registry.processes()) ?? [] where !asked.contains(process.name) {
        if !process.isConcerned(by: request) { continue }
        if case .connected(let connection)? = try? await registry.connect(to: process) {
          // A process that cannot be told has ended.
          try? connection.send(.tell(request, moves: moves))
          connection.close()
        }
      }
    }
  }
}

extension AccessRequest {
  /// Returns whether the two concern the same item, whichever way they use it.
  fileprivate func overlaps(_ other: AccessRequest) -> Bool {
    var (one, another) = (self, other)
    (one.kind, one.purpose, another.purpose) = (.write, "one", "another")
    return one.conflicts(with: another)
  }
}
