package import DurableIO
import Synchronization

/// A moment at which the power may go: before one change of the disk, or at the end.
package struct CrashPoint: Sendable, CustomStringConvertible {
  /// The number of changes before.
  package let number: Int
  /// The next change, or nil at the end.
  package let next: DiskOperation?
  package let name: FileName?
  /// The arguments of earlier calls of `CrashDisk.promise(_:)`.
  package let promises: [String]

  let volume: Volume
  let options: CrashDisk.Options

  /// Returns the states that a power cut may leave, each once; beyond `limit`, a selection that depends only on the
  /// seed.
  package func states(limit: Int = 1024, seed: UInt64 = 0) -> [CrashState] {
    volume.crashStates(limit: limit, seed: seed, options: options)
  }

  /// Returns the disk after a kill of the program at this moment, with the power on.
  ///
  /// Changes without a sync can still be lost, no file is open, and no program holds a lock.
  /// - Parameter mistake: as for a new disk.
  package func afterKill(
    mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
  ) -> CrashDisk {
    CrashDisk(volume, options: options, mistake: mistake)
  }

  /// The tree that programs see at this moment.
  package var tree: TestTree { volume.tree }

  package var description: String {
    guard let next else { return "power cut \(number), at the end" }
    return "power cut \(number), before \(next)" + (name.map { " '\($0.display)'" } ?? "")
  }
}

extension CrashDisk {
  /// Returns the states that a power cut would leave at this moment.
  package func crashStates(limit: Int = 1024, seed: UInt64 = 0) -> [CrashState] {
    state.withLock { $0.volume }.crashStates(limit: limit, seed: seed, options: options)
  }

  /// Runs `body`, which changes a disk, and returns every moment at which the power may go.
  ///
  /// These are the moments before each request that changes the disk, and the end. Each disk supports one run at a
  /// time.
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

  /// Records a promise to the caller; the crash points that follow carry it.
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
