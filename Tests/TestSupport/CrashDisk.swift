package import DurableIO
import Synchronization
import SystemPackage

/// A disk in memory that knows the states that a power cut can leave.
///
/// It answers like a `PosixDisk`, and holds the durable state apart: only synced changes are durable, by the rules in
/// `Volume+Keeping.swift`. A power cut leaves any subset of the other changes of names. Of each file without a sync it
/// leaves all bytes, none, zeros or one half.
///
///     let disk = try CrashDisk(["Text.txt": "old"])
///     let points = try await CrashDisk.crashPoints(of: disk) { try save(on: disk) }
///     for point in points {
///       for state in point.states() { #expect(state.tree == old || state.tree == new, "\(point)\n\(state)") }
///     }
package final class CrashDisk: Disk {
  /// The abilities of this file system.
  package struct Options: Sendable {
    /// If false, exchanging two names is EINVAL.
    package var supportsExchange = true
    /// If false, renaming to a name that must be free is EINVAL.
    package var supportsNoReplace = true
    /// If false, a second name for a file is EPERM.
    package var supportsLinks = true
    /// If false, sharing blocks is EOPNOTSUPP.
    package var supportsClone = false
    /// Whether it refuses and folds names as FAT does.
    package var limitsNames = false
    /// The length of a tick in nanoseconds; changes within one tick have the same time.
    package var timeGranularity: UInt64 = 1
    package var device: UInt64 = 1
    /// The reported free space; the disk never runs out of it.
    package var room = DiskRoom()

    package init() {}
  }

  /// A request for a sync.
  package struct SyncPoint: Sendable, Hashable, CustomStringConvertible {
    /// The number of requests before.
    package let number: Int
    package let kind: FileKind
    /// The last name of the node, and the last path to it.
    package let name: FileName
    package let path: String
    /// Whether the request was for the data only: `synchronizeData(_:)`.
    package let isOfData: Bool

    package var description: String {
      "synchronisation \(number) of \(isOfData ? "the data of " : "")\(kind.words), \(path)"
    }
  }

  /// A mistake that a program may make with a sync, for showing that a test finds it.
  package enum Mistake: Sendable {
    /// The sync reports success and does nothing.
    case leftOut
    /// The sync runs only after the next change other than a sync.
    case late
  }

  struct State: Sendable {
    struct OpenFile: Sendable {
      let node: Node.Number
      /// Whether the file was opened for reading and writing; otherwise only for reading.
      let isForWriting: Bool
    }

    /// The object of a lock: one byte of a node, or the node.
    struct LockPlace: Sendable, Hashable {
      let node: Node.Number
      let byte: UInt64?
    }

    var volume: Volume
    var openFiles: [Int32: OpenFile] = [:]
    var nextDescriptor: Int32 = 3
    /// The descriptors that hold a lock, and the mode of each.
    var locks: [LockPlace: [Int32: LockMode]] = [:]
    var syncPoints: [SyncPoint] = []
    var promises: [String] = []
    var points: [CrashPoint]?
    /// The syncs that are late.
    var late: [Late] = []

    struct Late: Sendable {
      let node: Node.Number
      let isOfData: Bool
      /// Whether the change that comes too early has happened.
      var isDue = false
    }
  }

  let options: Options
  let state: Mutex<State>
  let mistake: @Sendable (SyncPoint) -> Mistake?

  /// Makes a disk with a tree, all of it durable.
  /// - Parameter mistake: returns the mistake of a sync; nil for none.
  package init(
    _ tree: TestTree = [:], options: Options = Options(),
    mistake: @escaping @Sendable (SyncPoint) -> Mistake? = { _ in nil }
  ) throws(SystemError) {
    self.options = options
    self.mistake = mistake
    var volume = Volume(granularity: options.timeGranularity)
    volume.limitsNames = options.limitsNames
    state = Mutex(State(volume: volume))
    try tree.writeEntries(into: "/", of: self)
    synchronizeAll()
  }

  init(
    _ volume: Volume, options: Options,
    mistake: @escaping @Sendable (SyncPoint) -> Mistake? = { _ in nil }
  ) {
    self.options = options
    self.mistake = mistake
    state = Mutex(State(volume: volume))
  }

  /// The tree that programs see.
  package var tree: TestTree { state.withLock { $0.volume }.tree }

  /// The number of open descriptors: 0 if nothing leaks.
  package var openDescriptors: Int { state.withLock { $0.openFiles.count } }

  /// The requested syncs, including those that were left out.
  package var syncPoints: [SyncPoint] { state.withLock { $0.syncPoints } }

  /// Makes everything durable, so that a test starts from a known state.
  package func synchronizeAll() {
    state.withLock { $0.volume.synchronizeAll() }
  }
}
