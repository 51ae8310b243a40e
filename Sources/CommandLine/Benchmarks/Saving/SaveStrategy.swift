package import DurableIO
import FoundationEssentials
package import SystemPackage

/// A way to save a package, measured beside other ways.
package protocol SaveStrategy: AnyObject {
  /// The name in tables and options.
  static var name: String { get }
  /// Whether a saved state is durable.
  static var isDurable: Bool { get }
  /// Whether a power cut leaves all of a save or nothing of it.
  static var isAtomic: Bool { get }

  /// Makes the package of the model, and everything that an application has ready before it saves.
  ///
  /// - Throws: `StrategyUnavailable` if the strategy cannot run here.
  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy

  /// Prepares a save, such as the files that a command reads. Not measured.
  func arrange(_ change: SaveChange) async throws
  /// Saves the change. Measured.
  func save(_ change: SaveChange) async throws
  /// The number of syncs of the last save before it returned; nil if all work is done then, so that the disk's own
  /// count holds.
  var flushes: Int? { get }
  /// Finishes work that the save left for later. Not measured.
  func finish() async throws
  /// Compares every byte on disk with the model.
  ///
  /// - Throws: `WrongContents` if they differ.
  func verify(_ model: ModelPackage) async throws
}

extension SaveStrategy {
  package static var isDurable: Bool { true }
  package static var isAtomic: Bool { true }

  package func arrange(_ change: SaveChange) async throws {}
  package var flushes: Int? { nil }
  package func finish() async throws {}
}

/// A strategy that needs no asynchronous preparation.
package protocol DirectSaveStrategy: SaveStrategy {
  /// Does the work of `make(_:at:)`.
  init(_ model: ModelPackage, at place: SavePlace) throws
}

extension DirectSaveStrategy {
  package static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy {
    try Self(model, at: place)
  }
}

/// The place in which a strategy works.
package struct SavePlace: Sendable {
  /// The strategy's own folder, empty at first.
  package var folder: FilePath
  /// The disk through which the strategy reads and writes.
  package let disk: CountingDisk
  /// The disk's treatment of syncs.
  package var flushing: Flushing
  /// The path of `docpkg`, if it is known.
  package var command: FilePath?

  package init(
    folder: FilePath, disk: any Disk, flushing: Flushing = .asItIs, command: FilePath? = nil
  ) {
    self.folder = folder
    self.disk = CountingDisk(disk, flushing)
    self.flushing = flushing
    self.command = command
  }

  /// - Throws: `StrategyUnavailable` if the disk is not the machine's own, for a strategy that makes its own system
  ///   calls.
  func requireOwnDisk(_ who: String) throws(StrategyUnavailable) {
    if flushing != .asItIs {
      throw StrategyUnavailable(description: "\(who) makes its own system calls, which cannot be changed")
    }
  }
}

/// A strategy with the package that it saves, change by change.
final class SaveWorkload: Workload {
  private let strategy: any SaveStrategy
  private let counted: CountingDisk
  private var model: ModelPackage
  private var change = SaveChange(children: [], metadata: Data())

  init(_ type: any SaveStrategy.Type, _ model: ModelPackage, at place: SavePlace) async throws {
    self.model = model
    counted = place.disk
    strategy = try await type.make(model, at: place)
  }

  var disk: CountingDisk? { counted }
  var flushes: Int? { strategy.flushes }

  func arrange() async throws {
    change = model.change()
    try await strategy.arrange(change)
  }

  func run() async throws { try await strategy.save(change) }
  func finish() async throws { try await strategy.finish() }
  func verify() async throws { try await strategy.verify(model) }
}
