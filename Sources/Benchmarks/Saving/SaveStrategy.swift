package import DurableIO
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
  /// By how much that disk is slower than the machine's own, each time it is to keep something.
  package var flushDelay: Duration
  /// The path of `docpkg`, where it is known.
  package var command: FilePath?

  package init(folder: FilePath, disk: any Disk, flushDelay: Duration = .zero, command: FilePath? = nil) {
    self.folder = folder
    self.disk = CountingDisk(disk)
    self.flushDelay = flushDelay
    self.command = command
  }

  /// - Throws: `StrategyUnavailable` where the disk is not the machine's own, for whoever passes it by.
  func requireOwnDisk(_ who: String) throws(StrategyUnavailable) {
    if flushDelay > .zero {
      throw StrategyUnavailable(description: "\(who) makes its own system calls, which cannot be delayed")
    }
  }
}

/// Why a strategy cannot run here.
package struct StrategyUnavailable: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) {
    self.description = description
  }
}

/// What a strategy left on disk that is not what was saved.
package struct WrongContents: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) {
    self.description = description
  }
}
