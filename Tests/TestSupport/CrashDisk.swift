package import DurableIO
import Synchronization
import SystemPackage

/// A disk in memory that knows what a power cut would leave of it.
///
/// It answers like a `PosixDisk`, and keeps apart what is on the medium: only what was synchronised, by the
/// rules in `Volume+Keeping.swift`. A power cut keeps any subset of the other changes of names, and of each
/// file that was not synchronised all, nothing, zeros or one half.
///
///     let disk = try CrashDisk(["Text.txt": "old"])
///     let points = try await CrashDisk.crashPoints(of: disk) { try save(on: disk) }
///     for point in points {
///       for state in point.states() { #expect(state.tree == old || state.tree == new, "\(point)\n\(state)") }
///     }
package final class CrashDisk: Disk {
  /// What this file system can do.
  package struct Options: Sendable {
    /// Without it, exchanging two names is EINVAL.
    package var supportsExchange = true
    /// Without it, renaming to a name that must be free is EINVAL.
    package var supportsKeep = true
    /// Without it, a second name for a file is EPERM.
    package var supportsLinks = true
    /// Without it, sharing blocks is EOPNOTSUPP.
    package var supportsClone = false
    /// Nanoseconds; changes within one such tick have the same time.
    package var timeGranularity: UInt64 = 1
    package var device: UInt64 = 1
    /// What it says of its room; it never runs out of it.
    package var room = DiskRoom()

    package init() {}
  }

  /// One request to put something on the medium.
  package struct SyncPoint: Sendable, Hashable, CustomStringConvertible {
    /// How many there were before.
    package let number: Int
    package let kind: FileKind
    /// The name it was last given, and the path by which it was last reachable.
    package let name: FileName
    package let path: String
    /// Whether only the data was to be kept: `synchronizeData(_:)`.
    package let isOfData: Bool

    package var description: String {
      "synchronisation \(number) of \(isOfData ? "the data of " : "")\(kind.words), \(path)"
    }
  }

  /// What a program may get wrong with a synchronisation, for showing that a test finds it.
  package enum Mistake: Sendable {
    /// It answers success and does nothing.
    case leftOut
    /// It is carried out only after the next change that is none.
    case late
  }

  struct State: Sendable {
    struct OpenFile: Sendable {
      let node: Node.Number
      /// Whether it was opened for reading and writing; otherwise only for reading.
      let isForWriting: Bool
    }

    /// What a lock is about: one byte of a node, or the node.
    struct LockPlace: Sendable, Hashable {
      let node: Node.Number
      let byte: UInt64?
    }

    var volume: Volume
    var openFiles: [Int32: OpenFile] = [:]
    var nextDescriptor: Int32 = 3
    /// Which descriptors hold a lock, and in which mode.
    var locks: [LockPlace: [Int32: LockMode]] = [:]
    var syncPoints: [SyncPoint] = []
    var promises: [String] = []
    var points: [CrashPoint]?
    /// The synchronisations that are late.
    var late: [Late] = []

    struct Late: Sendable {
      let node: Node.Number
      let isOfData: Bool
      /// Whether the change that comes too early has been made.
      var isDue = false
    }
  }

  let options: Options
  let state: Mutex<State>
  let mistake: @Sendable (SyncPoint) -> Mistake?

  /// A disk on which a tree stands, all of it on the medium.
  /// - Parameter mistake: what is wrong with which synchronisation.
  package init(
    _ tree: TestTree = [:], options: Options = Options(),
    mistake: @escaping @Sendable (SyncPoint) -> Mistake? = { _ in nil }
  ) throws(SystemError) {
    self.options = options
    self.mistake = mistake
    state = Mutex(State(volume: Volume(granularity: options.timeGranularity)))
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

  /// All that programs see.
  package var tree: TestTree { state.withLock { $0.volume }.tree }

  /// How many descriptors are open: none, when nothing leaks.
  package var openDescriptors: Int { state.withLock { $0.openFiles.count } }

  /// The synchronisations that were asked for, those left out among them.
  package var syncPoints: [SyncPoint] { state.withLock { $0.syncPoints } }

  /// Puts everything on the medium, so that a test starts from what it built.
  package func synchronizeAll() {
    state.withLock { $0.volume.synchronizeAll() }
  }
}
