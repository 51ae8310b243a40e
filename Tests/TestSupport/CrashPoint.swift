package import DurableIO
import Synchronization

/// A moment at which the power may go: before one change of the disk, or at the end.
package struct CrashPoint: Sendable, CustomStringConvertible {
  /// How many changes came before.
  package let number: Int
  /// The change that has not happened yet, or nil at the end.
  package let next: DiskOperation?
  package let name: FileName?
  /// What `CrashDisk.promise(_:)` was called with before.
  package let promises: [String]

  let volume: Volume
  let options: CrashDisk.Options

  /// The states a power cut may leave, each once; beyond `limit` of them a selection, the same for each seed.
  package func states(limit: Int = 1024, seed: UInt64 = 0) -> [CrashState] {
    volume.crashStates(limit: limit, seed: seed, options: options)
  }

  /// The disk as it is after the program was killed at this moment and the power stayed: what was not
  /// synchronised is still to be lost, nothing is open, and nobody holds a lock.
  /// - Parameter mistake: as for a new disk.
  package func afterKill(
    mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
  ) -> CrashDisk {
    CrashDisk(volume, options: options, mistake: mistake)
  }

  /// What programs see at this moment.
  package var tree: TestTree { volume.tree }

  package var description: String {
    guard let next else { return "power cut \(number), at the end" }
    return "power cut \(number), before \(next)" + (name.map { " '\($0.display)'" } ?? "")
  }
}

extension CrashDisk {
  /// The states a power cut would leave at this moment.
  package func crashStates(limit: Int = 1024, seed: UInt64 = 0) -> [CrashState] {
    state.withLock { $0.volume }.crashStates(limit: limit, seed: seed, options: options)
  }

  /// Runs something that changes a disk, and gives every moment at which the power may go: before each
  /// request that changes anything, and at the end. One at a time for each disk.
  package static func crashPoints(of disk: CrashDisk, during body: () async throws -> Void) async rethrows
    -> [CrashPoint]
  {
    disk.state.withLock {
      $0.points = []
      $0.promises = []
    }
    defer { disk.state.withLock { $0.points = nil } }
    try await body()
    return disk.state.withLock { state in
      state.record(nil, nil, options: disk.options)
      return state.points ?? []
    }
  }

  /// Notes that from now on something is owed to the caller: the crash points that follow carry it.
  package func promise(_ promise: String) {
    state.withLock { $0.promises.append(promise) }
  }
}

extension CrashDisk.State {
  mutating func record(_ operation: DiskOperation?, _ name: FileName?, options: CrashDisk.Options) {
    guard let number = points?.count else { return }
    points?.append(
      CrashPoint(
        number: number, next: operation, name: name, promises: promises, volume: volume, options: options))
  }
}
