import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage

// (1) Nothing is claimed while presenters are waited for: what they save in answer waits for nobody who waits for them.
// (2) Everything is claimed at once, so that no two accesses wait for each other.
// (3) Whatever waits ends at the deadline, or when it is cancelled; then presenters have what they gave up again, and no
//     claim is left.
// (4) An access within another one that would have to wait for it is refused.

/// One access, from asking the presenters to telling them.
final class CoordinatedAccess: Sendable {
  /// Those that this task is part of.
  @TaskLocal static var enclosing: [CoordinatedAccess] = []

  private struct State {
    var requests: [AccessRequest] = []
    var parties: [AskedPresenters] = []
    var claim: Claim?
    var moves: [ItemMove] = []
    var awaited: FileCoordinationError?
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

  /// Waits until the items may be accessed.
  func begin() async throws {
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
        // (1)
        let isThere = try await take(requests, mayWait)
        // Somebody may have begun to present in between; whoever does so from now on finds the claim.
        let unasked = isThere ? try await unasked(requests, asked) : []
        if isThere && unasked.isEmpty { return }
        await end()
      }
    } catch {
      await end()
      throw failure(error)
    }
  }

  /// Whether an access that this one is part of includes it, and whether it may wait for others. (4)
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

  /// Whether the same coordinator has asked for it already, by `prepare`.
  private func isPrepared(for request: AccessRequest) -> Bool {
    Self.enclosing.contains { outer in
      outer.purpose == purpose && outer.registry === registry && !outer.takesClaims
        && outer.state.withLock { !$0.isOver && $0.requests.contains { $0.includes(request) } }
    }
  }

  private var claimed: [AccessRequest] {
    state.withLock { $0.isOver || $0.claim == nil ? [] : $0.requests }
  }

  /// Which presenters have been asked, by process; nil is this one.
  private typealias Asked = [FileName?: Set<UInt64>]

  /// Asks all whom it concerns, until nobody is left who was not asked.
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

  /// The presenters whom it concerns and who were not asked.
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

  /// Takes what is asked for; false where it was moved meanwhile, and is to be asked for anew. (2)
  private func take(_ requests: [AccessRequest], _ mayWait: Bool) async throws -> Bool {
    let claim = try await registry.claim(requests)
    state.withLock { $0.claim = claim }
    var known = Claim.KnownClaims()
    var pause = Duration.microseconds(500)
    while true {
      let blocker: Claim.Found?
      (blocker, known) = try await registry.blocker(of: claim, known)
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
    return try await !follow(registry.moves(known))
  }

  /// Whether any of the items is somewhere else now.
  private func follow(_ moves: [ItemMove]) async throws -> Bool {
    var hasMoved = false
    for (intent, request) in zip(intents, state.withLock(\.requests)) {
      var place = request.item
      for move in moves { place = place.moved(from: move.old, to: move.new) ?? place }
      if place.names == request.item.names { continue }
      if intent.followsMoves { intent.url = URL(place, isDirectory: intent.url.hasDirectoryPath) }
      // Where it stays, what was found there is not there any more.
      hasMoved = true
    }
    return hasMoved
  }

  // MARK: Giving up

  /// The deadline is over; whoever waits is cancelled then. (3)
  func comeTooLate() { state.withLock { $0.wasTooLate = true } }

  private func wait(
    for code: FileCoordinationError.Code?, _ request: AccessRequest? = nil, _ holder: FileAccessHolder? = nil
  ) {
    let error = code.map {
      FileCoordinationError($0, item: request?.item.path.string ?? "", holder: holder)
    }
    state.withLock { $0.awaited = error }
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
    let move = ItemMove(from: old, to: new)
    if let claim = state.withLock({ $0.claim }) { try await registry.note(move, in: claim) }
    state.withLock { $0.moves.append(move) }
  }

  /// Whether it is a write of that item.
  func writes(_ place: ItemPlace) -> Bool {
    claimed.contains { $0.kind == .write && ($0.unit.isSame(as: place) || $0.unit.encloses(place)) }
  }

  /// Lets others go on, and tells presenters.
  func end() async {
    let (claim, parties, moves) = state.withLock { state in
      defer { (state.claim, state.parties, state.moves) = (nil, [], []) }
      return (state.claim, state.parties, state.moves)
    }
    if let claim { await registry.release(claim) }
    for party in parties { party.finish(moves) }
  }

  /// The same, after the accessor: those that need not be asked are told, too.
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
      // Where they cannot be found any more, there is nobody to be told.
      for process in (try? await registry.processes()) ?? [] where !asked.contains(process.name) {
        if !process.isConcerned(by: request) { continue }
        if case .connected(let connection)? = try? await registry.connect(to: process) {
          try? connection.send(.tell(request, moves: moves))
          connection.close()
        }
      }
    }
  }
}

extension AccessRequest {
  /// Whether the two are about the same, whatever they do with it.
  fileprivate func overlaps(_ other: AccessRequest) -> Bool {
    var (one, another) = (self, other)
    (one.kind, one.purpose, another.purpose) = (.write, "one", "another")
    return one.conflicts(with: another)
  }
}
