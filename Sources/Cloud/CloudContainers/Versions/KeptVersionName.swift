package import FilePackages
public import FoundationEssentials

/// The name of a version that a machine keeps of a document. Its content is on that machine alone.
public struct KeptVersionName: Sendable, Hashable {
  /// The identifier of the version on its machine.
  public var id: UUID
  /// The date of its save.
  public var date: Date
  /// The number of its save on its machine.
  public var generation: Int
  /// The computer that saved it.
  public var computer: String

  /// The largest number of names that a machine tells of a document.
  package static let maximumCount = 10
  /// The longest name of a computer, in bytes.
  static let maximumComputerSize = 255

  package init(id: UUID, date: Date, generation: Int, computer: String) {
    (self.id, self.date, self.generation, self.computer) = (id, date, generation, computer)
  }

  /// Makes the name of a version; nil if its computer has a name that no version in a container can have.
  package init?(_ metadata: PackageMetadata) {
    guard metadata.savingComputer.utf8.count <= Self.maximumComputerSize, metadata.generation >= 0 else {
      return nil
    }
    self.init(
      id: metadata.revision, date: metadata.modificationDate, generation: metadata.generation,
      computer: metadata.savingComputer)
  }
}

/// The versions of a document that another machine keeps, as it told with the last version that it made.
public struct MachineVersions: Sendable, Hashable {
  /// The identity of the machine in the container.
  public var device: String
  /// The name of the machine for people.
  public var deviceName: String
  /// The versions, the newest first.
  public var versions: [KeptVersionName]
}
