import FoundationEssentials
import ObjectStores

// A rehearsal decides as a run does. It has a copy of the state, and its store takes no writes.

extension ContainerSession {
  /// A session in which a run changes nothing, here and in the store.
  ///
  /// Cost: a copy of the state, in a temporary file.
  func rehearsal() throws -> ContainerSession {
    ContainerSession(
      folder: folder, settings: settings, state: try state.copy(), store: UnwrittenStore(base: store),
      key: key, rules: log.rules, packageExtensions: packages.extensions,
      limits: limits, asksStore: asksStore, enclosesSmall: enclosesSmall, isRehearsal: true, mergers: mergers,
      now: now,
      newDocument: newDocument)
  }
}

/// Another store, which is read and not written. Each write seems to succeed.
private struct UnwrittenStore: ObjectStore {
  let base: any ObjectStore
  var place: String { base.place }
  var synchronizingProgram: String? { base.synchronizingProgram }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    switch call {
    case .put: .stored(true)
    case .delete: .removed
    case .get, .head, .list: try await base.send(call)
    }
  }
}
