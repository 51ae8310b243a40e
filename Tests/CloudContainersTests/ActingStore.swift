import CloudContainers
import ObjectStores
import Synchronization
import Testing

/// A store that runs an action, such as another machine's, before the next call that meets a condition.
final class ActingStore: ObjectStore {
  private let base: any ObjectStore
  private let isMeant: @Sendable (StoreCall) -> Bool
  private let action = Mutex<(@Sendable () async throws -> Void)?>(nil)

  init(_ base: any ObjectStore, before isMeant: @escaping @Sendable (StoreCall) -> Bool) {
    (self.base, self.isMeant) = (base, isMeant)
  }

  func once(_ body: @escaping @Sendable () async throws -> Void) { action.withLock { $0 = body } }

  var place: String { base.place }

  func send(_ call: StoreCall) async throws(ObjectStoreError) -> StoreAnswer {
    if isMeant(call) {
      let body = action.withLock { action in
        defer { action = nil }
        return action
      }
      do { try await body?() } catch { Issue.record(error) }
    }
    return try await base.send(call)
  }

  static func isEntry(_ call: StoreCall) -> Bool {
    if case .put(_, let key, _) = call { key.string.hasPrefix("log/") } else { false }
  }

  static func isBlob(_ call: StoreCall) -> Bool {
    if case .put(_, let key, _) = call { key.string.hasPrefix("blobs/") } else { false }
  }

  static func isRemovalOfBlob(_ call: StoreCall) -> Bool {
    if case .delete(let key) = call { key.string.hasPrefix("blobs/") } else { false }
  }
}
