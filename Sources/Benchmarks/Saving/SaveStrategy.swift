package import DurableIO
import FoundationEssentials
package import SystemPackage

/// One way of saving a package, measured beside others.
package protocol SaveStrategy: AnyObject {
  /// The name in tables and options.
  static var name: String { get }
  /// Whether what was saved survives a power cut.
  static var isDurable: Bool { get }
  /// Whether a power cut leaves all of a save or nothing of it.
  static var isAtomic: Bool { get }

  /// Makes the package of the model, and whatever an application has ready before it saves.
  ///
  /// - Throws: `StrategyUnavailable` where it cannot run.
  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy

  /// Brings in what is no part of a save, such as the files that a command is to read. Not measured.
  func arrange(_ change: SaveChange) async throws
  /// Saves the change. Measured.
  func save(_ change: SaveChange) async throws
  /// How often the last save asked the disk to keep something before it returned; nil where nothing is left to
  /// be done then, so that the disk's own count says it.
  var flushes: Int? { get }
  /// Waits for what the save left to be done after it returned. Not measured.
  func finish() async throws
  /// Compares what is on disk with the model, every byte.
  ///
  /// - Throws: `WrongContents` when they differ.
  func verify(_ model: ModelPackage) async throws
}

extension SaveStrategy {
  package static var isDurable: Bool { true }
  package static var isAtomic: Bool { true }

  package func arrange(_ change: SaveChange) async throws {}
  package var flushes: Int? { nil }
  package func finish() async throws {}
}

/// A strategy that waits for nobody.
package protocol DirectSaveStrategy: SaveStrategy {
  /// As `make(_:at:)`.
  init(_ model: ModelPackage, at place: SavePlace) throws
}

extension DirectSaveStrategy {
  package static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy {
    try Self(model, at: place)
  }
}

/// Where a strategy works.
package struct SavePlace: Sendable {
  /// A folder of its own, empty at first.
  package var folder: FilePath
  /// The disk through which it reads and writes.
  package let disk: CountingDisk
  /// How that disk keeps what it is to keep.
  package var flushing: Flushing
  /// The path of `docpkg`, where it is known.
  package var command: FilePath?

  package init(
    folder: FilePath, disk: any Disk, flushing: Flushing = .asItIs, command: FilePath? = nil
  ) {
    self.folder = folder
    self.disk = CountingDisk(flushing == .asItIs ? disk : FlushingDisk(disk, flushing))
    self.flushing = flushing
    self.command = command
  }

  /// - Throws: `StrategyUnavailable` where the disk is not the machine's own, for whoever passes it by.
  func requireOwnDisk(_ who: String) throws(StrategyUnavailable) {
    if flushing != .asItIs {
      throw StrategyUnavailable(description: "\(who) makes its own system calls, which are as they are")
    }
  }
}

/// A strategy with the package that it saves, change by change.
final class SaveContender: Contender {
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
