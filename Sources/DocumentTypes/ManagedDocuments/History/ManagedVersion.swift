public import FilePackages
public import FoundationEssentials

/// A version that a document with a database keeps: the counterpart of `FileVersion`, with its names.
public struct ManagedVersion: Sendable {
  /// The document's metadata in this version.
  public let metadata: PackageMetadata
  /// Whether the retention policy may drop it.
  public let isDiscardable: Bool
  /// The bytes that the version costs: its changes, its metadata and the files that it alone had when it was kept.
  public let keptBytes: UInt64

  init(_ version: KeptVersion) throws {
    metadata = try PackageMetadata(decoding: version.plist)
    isDiscardable = version.isDiscardable
    keptBytes = UInt64(clamping: version.bytes)
  }

  /// The identifier of the version, which is the same in every process.
  public var persistentIdentifier: UUID { metadata.revision }
  /// The date of its save, to the second.
  public var modificationDate: Date { metadata.modificationDate }
  /// The computer that saved it.
  public var localizedNameOfSavingComputer: String { metadata.savingComputer }
}

extension ManagedVersion: Identifiable, Hashable {
  /// The identifier of the version.
  public var id: UUID { persistentIdentifier }

  /// Returns whether both are the same version.
  public static func == (left: ManagedVersion, right: ManagedVersion) -> Bool {
    left.persistentIdentifier == right.persistentIdentifier
  }

  /// Hashes the identifier, which makes two versions equal.
  public func hash(into hasher: inout Hasher) { hasher.combine(persistentIdentifier) }
}

extension ManagedVersion: CustomStringConvertible {
  /// One line, such as `1B4E28BA  2026-05-01 12:00:00  generation 12  4.5 KB`.
  public var description: String { "\(metadata.line)  \(SaveReport.bytes(keptBytes))" }
}
