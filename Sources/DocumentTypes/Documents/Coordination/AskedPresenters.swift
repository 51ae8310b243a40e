import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage

/// The presenters of one process that are asked about one access.
final class AskedPresenters: Sendable {
  let request: AccessRequest
  let holder: FileAccessHolder
  private let kind: Kind
  private let registry: CoordinationRegistry
  private let state = Mutex(State())

  private struct State {
    var isOver = false
    var connection: Connection?
  }

  private enum Kind {
    case here(Task<Relinquishment, any Error>, except: ObjectIdentifier?)
    case elsewhere(PresenterProcess)
  }

  /// Asks the presenters of this process.
  init(_ request: AccessRequest, here registry: CoordinationRegistry, except initiator: ObjectIdentifier?) {
    (self.request, self.registry, holder) = (request, registry, .present)
    kind = .here(Task { try await registry.table.ask(request, except: initiator) }, except: initiator)
  }

  /// - Parameter process: a process that the access concerns.
  init(_ request: AccessRequest, _ process: PresenterProcess, in registry: CoordinationRegistry) {
    (self.request, self.registry, holder) = (request, registry, process.holder)
    kind = .elsewhere(process)
  }

  /// The asked process; nil for this one.
  var process: FileName? {
    switch kind {
    case .here: nil
    case .elsewhere(let process): process.name
    }
  }

  /// Waits for the answer.
  func answer() async -> Result<Void, FileCoordinationError> {
    switch kind {
    case .here(let asking, _):
      return await asking.result.map { _ in }.mapError { error in
        FileCoordinationError(.presenter, item: request.item.path.string, holder: holder, cause: error)
      }
    case .elsewhere(let process):
      do {
        guard let connection = try await connect(to: process) else { return .success(()) }
        try connection.send(.ask(request))
        for await message in connection.messages {
          guard case .refused(let reason) = message else { return .success(()) }
          return .failure(refusal(reason))
        }
        // The process has ended.
        return .success(())
      } catch {
        return .failure(
          FileCoordinationError(.registry, item: request.item.path.string, reason: "\(error)", cause: error))
      }
    }
  }

  private func refusal(_ reason: String) -> FileCoordinationError {
    FileCoordinationError(
      .presenter, item: request.item.path.string, holder: holder, reason: "\(holder) refused: \(reason)")
  }

  /// Connects to the process. Returns nil if the process is gone or the access is over.
  private func connect(to process: PresenterProcess) async throws -> Connection? {
    while true {
      switch try await registry.connect(to: process) {
      case .connected(let new): return adopt(new) ? new : nil
      case .gone: return nil
      case .busy: try await Task.sleep(for: .milliseconds(5))
      }
      if state.withLock(\.isOver) { return nil }
    }
  }

  private func adopt(_ connection: Connection) -> Bool {
    state.withLock { state in
      if !state.isOver { state.connection = connection }
      return !state.isOver
    }
  }

  /// Tells the presenters that the access is over, even those whose answers came too late.
  func finish(_ moves: [ItemMove]) {
    let connection = state.withLock { state in
      state.isOver = true
      return state.connection.take()
    }
    switch kind {
    case .here(let asking, let initiator):
      Task { [request, registry] in
        // A presenter that refused has relinquished nothing.
        guard let relinquishment = try? await asking.value else { return }
        await registry.tell(request, moves: moves, except: initiator)
        await relinquishment.reacquire()
      }
    case .elsewhere:
      // If the message does not arrive, the process sees the connection end.
      try? connection?.send(.done(moves: moves))
      connection?.close()
    }
  }
}
