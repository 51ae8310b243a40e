import DurableIO
import FoundationEssentials
import Synchronization

/// The stores of this process.
///
/// A history changes only while no other store has the package open (V3). So a document that this process has open
/// changes its history by its own store.
enum OpenStores {
  private struct Entry {
    let root: FileIdentity
    weak var store: PackageStore?
  }

  private static let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  static func insert(_ store: PackageStore, of root: FileIdentity) {
    entries.withLock { $0[ObjectIdentifier(store)] = Entry(root: root, store: store) }
  }

  static func remove(_ store: ObjectIdentifier) {
    entries.withLock { $0[store] = nil }
  }

  /// Returns the other stores of a package.
  static func others(of store: PackageStore) -> [PackageStore] {
    entries.withLock { entries in
      guard let root = entries[ObjectIdentifier(store)]?.root else { return [] }
      return entries.values.compactMap { $0.root.isSameNode(as: root) ? $0.store : nil }.filter {
        $0 !== store
      }
    }
  }
}

extension PackageStore {
  /// Calls `body` with the store that may change the history of the package at `url`: a store of this process that has
  /// saved there and is open, or else a new one, which it closes.
  static func changingHistory<Result: Sendable>(
    at url: URL, _ body: @Sendable (isolated PackageStore) throws(FilePackageError) -> Result
  ) async throws(FilePackageError) -> Result {
    let new = try await PackageStore.open(at: url)
    for store in OpenStores.others(of: new) {
      if await store.hasSession { return try await body(store) }
    }
    do throws(FilePackageError) {
      let result = try await body(new)
      try await new.close()
      return result
    } catch {
      // The first error counts; the next session does what this one cannot end.
      try? await new.close()
      throw error
    }
  }

  private var hasSession: Bool { writer.session != nil }
}
