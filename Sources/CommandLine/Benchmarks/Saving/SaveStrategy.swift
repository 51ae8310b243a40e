package import DurableIO
package import SystemPackage

/// A way to save a package, measured beside other ways.
package protocol SaveStrategy: SendableMetatype, AnyObject {
  /// The name in tables and options.
  static var name: String { get }
  /// Whether a power cut leaves all of a save or nothing of it.
  static var isAtomic: Bool { get }

  /// Makes the package of the model, and everything that an application has ready before it saves.
  static func make(_ model: ModelPackage, at place: SavePlace) async throws -> any SaveStrategy

  /// Saves the change. Measured.
  func save(_ change: SaveChange) async throws
  /// The number of syncs of the last save before it returned; nil if all work is done then, so that the disk's own
  /// count holds.
  var flushes: Int? { get }
  /// Finishes work that the save left for later. Not measured.
  func finish() async throws
  /// Compares every byte on disk with the model.
  ///
  /// - Throws: `BenchmarkError` if they differ.
  func verify(_ model: ModelPackage) async throws
}

extension SaveStrategy {
  package static var isAtomic: Bool { true }

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

  package init(folder: FilePath, disk: any Disk) {
    self.folder = folder
    self.disk = CountingDisk(disk)
  }
}
