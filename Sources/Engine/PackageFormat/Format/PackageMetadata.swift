import DurableIO
public import FoundationEssentials
// Metadata name the type of a package, so the import of a package gives types as well.
@_exported public import UniformTypes

/// The version and metadata of a package: the contents of its `Metadata.plist`.
///
/// Its size does not depend on the package; every save rewrites the file as one more child. A save preserves keys that
/// this version of the library does not know.
public struct PackageMetadata: Sendable, Hashable {
  /// The format that this version reads and writes.
  package static let currentFormatVersion = 2
  /// The maximum size of a plist in bytes; a larger one is refused unread.
  public static let maximumSize = 1 << 20
  /// The greatest accepted number of files, bytes or states: counting on from it never overflows.
  static let maximumNumber: Int64 = 1 << 60

  /// The format of the package.
  ///
  /// This version does not write packages of a newer one.
  package var formatVersion = currentFormatVersion
  /// The type of the document; nil if its plist names none. This program need not know the type.
  public package(set) var contentType: UTType?
  /// The identity of the document for all its life; a copy made by Save As gets its own.
  public package(set) var identifier = UUID.new
  /// The revision of this state; each save makes a new one.
  public package(set) var revision = UUID.new
  /// The revisions that this one was made from: one after a save, none for a new document.
  public package(set) var parentRevisions: [UUID] = []
  /// The earlier revision whose content this one repeats, if the undo or redo of a save made it.
  public package(set) var contentRevision: UUID?
  /// The number of saves, including the first.
  public package(set) var generation = 1
  /// The date of the document's creation.
  public package(set) var creationDate = Environment.current.now().date
  /// The date of the save that made this state.
  public package(set) var modificationDate = Environment.current.now().date
  /// The program that saved this state.
  public package(set) var generator = SavingProgram.current.name
  /// That program's version.
  public package(set) var generatorVersion = SavingProgram.current.version
  /// The name of the computer that saved this state.
  public package(set) var savingComputer = ""
  /// The sums over the children.
  package var summary = ContentSummary() {
    didSet {
      // Numbers beyond these were computed from wrong numbers; a verification finds that.
      summary.fileCount = max(0, summary.fileCount)
      if summary.byteCount > UInt64(Self.maximumNumber) { summary.byteCount = 0 }
    }
  }
  /// The number of regular files and symbolic links, without the library's own.
  public var fileCount: Int { summary.fileCount }
  /// The total size of these files and links, in bytes.
  public var size: UInt64 { summary.byteCount }
  /// A sum over all children that any program can compute again from the files: 64 hexadecimal digits.
  ///
  /// It detects a package torn by a copy or by a program that synchronises folders; it does not detect the changes of
  /// an attacker.
  public var contentDigest: String { summary.digest.hexadecimal }

  /// The path of the document's database in the package; nil for a document without one.
  ///
  /// The sums leave the database out, with the files that SQLite keeps beside it: the database checks itself.
  public package(set) var databasePath: String?

  /// Whether saves never begin a history of the document.
  ///
  /// `PackageStore.stopKeepingHistory()` sets it, and `startKeepingHistory()` clears it. Copies of the document have
  /// it, too.
  public package(set) var keepsNoHistory = false

  /// The application's own keys, such as `DisplayName`, and the keys of newer versions.
  public var applicationValues: [String: PropertyListValue] = [:]

  /// Makes the metadata of a document that has not been saved yet.
  public init(applicationValues: [String: PropertyListValue] = [:]) {
    self.applicationValues = applicationValues
  }

  /// Makes the metadata of a document of this type that has not been saved yet.
  package init(contentType: UTType?) { self.contentType = contentType }

  /// The name that the user gave the document; nil if it is the filename.
  public var displayName: String? {
    get {
      applicationValues[Key.displayName.rawValue]?.text
    }
    set { applicationValues[Key.displayName.rawValue] = newValue.map { .string($0) } }
  }

  enum Key: String, CaseIterable {
    case formatVersion = "FormatVersion"
    case contentType = "ContentType"
    case identifier = "Identifier"
    case revision = "Revision"
    case parentRevisions = "ParentRevisions"
    case contentRevision = "ContentRevision"
    case generation = "Generation"
    case creationDate = "Created"
    case modificationDate = "Modified"
    case generator = "Generator"
    case generatorVersion = "GeneratorVersion"
    case savingComputer = "SavingComputer"
    case fileCount = "FileCount"
    case size = "ByteCount"
    case contentDigest = "ContentDigest"
    case database = "Database"
    case keepsHistory = "KeepsHistory"
    case displayName = "DisplayName"
  }
}

// MARK: - As a plist

extension PackageMetadata {
  /// All keys and values as in the plist.
  public var propertyList: [String: PropertyListValue] {
    Dictionary(uniqueKeysWithValues: fields)
  }

  /// The keys, in order, and their values.
  private var fields: [PropertyListWriter.Field] {
    if applicationValues.isEmpty { return ownFields }
    // A value of the application under one of the library's keys does not count.
    let fields = ownFields + applicationValues.lazy.filter { !isOwn($0.key) }.map { ($0.key, $0.value) }
    return fields.sorted { $0.key < $1.key }
  }

  private func isOwn(_ key: String) -> Bool {
    switch Key(rawValue: key) {
    case nil, .displayName: false
    case .database: databasePath != nil
    case .keepsHistory: keepsNoHistory
    default: true
    }
  }

  /// The library's own keys, in order.
  private var ownFields: [PropertyListWriter.Field] {
    var fields: [PropertyListWriter.Field] = []
    fields.reserveCapacity(Key.allCases.count + applicationValues.count)
    func add(_ key: Key, _ value: PropertyListValue) { fields.append((key.rawValue, value)) }
    add(.size, .integer(Int64(clamping: size)))
    add(.contentDigest, .string(contentDigest))
    if let contentRevision { add(.contentRevision, .string(contentRevision.text)) }
    if let contentType { add(.contentType, .string(contentType.identifier)) }
    add(.creationDate, .date(creationDate))
    if let databasePath { add(.database, .string(databasePath)) }
    add(.fileCount, .integer(Int64(fileCount)))
    add(.formatVersion, .integer(Int64(formatVersion)))
    add(.generation, .integer(Int64(generation)))
    add(.generator, .string(generator))
    add(.generatorVersion, .string(generatorVersion))
    add(.identifier, .string(identifier.text))
    if keepsNoHistory { add(.keepsHistory, .boolean(false)) }
    add(.modificationDate, .date(modificationDate))
    add(.parentRevisions, .array(parentRevisions.map { .string($0.text) }))
    add(.revision, .string(revision.text))
    add(.savingComputer, .string(savingComputer))
    return fields
  }

  /// Returns the plist as XML, with its keys in order.
  package func encoded() throws -> Data { Data(try encodedBytes()) }

  /// Returns the bytes of `encoded()`.
  package func encodedBytes() throws -> [UInt8] { try PropertyListWriter.encoded(fields) }

  /// Returns the application's values alone as an XML plist, with its keys in order: equal values have equal bytes.
  package func encodedApplicationValues() throws -> Data {
    Data(try PropertyListWriter.encoded(applicationValues.sorted { $0.key < $1.key }))
  }

  /// The reason why a plist is not the metadata of a package that this version can edit.
  package enum Problem: Error, Equatable {
    case tooLarge
    case notAPropertyList
    /// It is a property list, but no XML.
    case binary
    /// The plist belongs to another program.
    case notOurs
    case newerFormat(Int)
    /// A development version of this library wrote it.
    case earlierFormat(Int)
    /// One of the library's keys is missing or of the wrong kind.
    case invalidValue(String)
  }

  package init(decoding data: Data) throws(Problem) {
    guard data.count <= Self.maximumSize else { throw .tooLarge }
    if data.starts(with: "bplist".utf8) { throw .binary }
    guard let values = PropertyListReader.dictionary(data) else { throw .notAPropertyList }
    try self.init(propertyList: values)
  }

  private init(propertyList values: [String: PropertyListValue]) throws(Problem) {
    guard let version = values[Key.formatVersion.rawValue]?.integer else { throw .notOurs }
    guard version <= Self.currentFormatVersion else { throw .newerFormat(Int(version)) }
    guard version >= Self.currentFormatVersion else { throw .earlierFormat(Int(version)) }
    func value<Value>(
      _ key: Key, _ kind: (PropertyListValue) -> Value?
    ) throws(Problem) -> Value {
      guard let value = values[key.rawValue].flatMap(kind) else { throw .invalidValue(key.rawValue) }
      return value
    }
    func optional<Value>(_ key: Key, _ kind: (PropertyListValue) -> Value?) throws(Problem) -> Value? {
      values[key.rawValue] == nil ? nil : try value(key, kind)
    }
    formatVersion = Int(version)
    contentType = try optional(.contentType, \.text).map { UTType(unchecked: $0) }
    identifier = try value(.identifier, \.uuid)
    revision = try value(.revision, \.uuid)
    parentRevisions = try value(.parentRevisions, \.uuids)
    contentRevision = try optional(.contentRevision, \.uuid)
    generation = try value(.generation, \.count)
    creationDate = try value(.creationDate, \.date)
    modificationDate = try value(.modificationDate, \.date)
    generator = try value(.generator, \.text)
    generatorVersion = try value(.generatorVersion, \.text)
    savingComputer = try value(.savingComputer, \.text)
    summary = ContentSummary(
      fileCount: try value(.fileCount, \.count), byteCount: UInt64(try value(.size, \.count)),
      digest: try value(.contentDigest) { $0.text.flatMap { ContentDigest(hexadecimal: $0) } })
    databasePath = values[Key.database.rawValue]?.pathOfDatabase
    keepsNoHistory = values[Key.keepsHistory.rawValue] == .boolean(false)
    applicationValues = Self.applicationValues(in: values)
  }

  /// Returns the values of a plist without the library's own keys.
  package static func applicationValues(in values: [String: PropertyListValue]) -> [String: PropertyListValue]
  {
    var own = Set(Key.allCases.map(\.rawValue))
    own.remove(Key.displayName.rawValue)
    // Any other value of these keys is the application's.
    if values[Key.database.rawValue]?.pathOfDatabase == nil { own.remove(Key.database.rawValue) }
    if values[Key.keepsHistory.rawValue] != .boolean(false) { own.remove(Key.keepsHistory.rawValue) }
    return values.filter { !own.contains($0.key) }
  }

  /// The children that the sums leave out: the database, and the files that SQLite keeps beside it.
  package var uncounted: Set<PackagePath> {
    guard let databasePath else { return [] }
    return Set(["", "-wal", "-shm", "-journal"].map { PackagePath(databasePath + $0) })
  }
}

extension PropertyListValue {
  fileprivate var date: Date? { if case .date(let date) = self { date } else { nil } }
  fileprivate var uuid: UUID? { text.flatMap { UUID(uuidString: $0) } }
  fileprivate var uuids: [UUID]? {
    guard let array else { return nil }
    let uuids = array.compactMap(\.uuid)
    return uuids.count == array.count ? uuids : nil
  }

  /// A number of files, bytes or states.
  fileprivate var count: Int? {
    integer.flatMap { (0...PackageMetadata.maximumNumber).contains($0) ? Int($0) : nil }
  }

  /// The path of a child in a folder; nil for any other value, which is then the application's own.
  fileprivate var pathOfDatabase: String? {
    text.flatMap { PackagePath($0).canBeDatabase ? $0 : nil }
  }
}

extension PackageMetadata.Problem {
  package var words: String {
    switch self {
    case .tooLarge: "'Metadata.plist' is larger than \(PackageMetadata.maximumSize) bytes"
    case .notAPropertyList: "'Metadata.plist' is not a complete property list"
    case .binary: "'Metadata.plist' is binary; make it XML with 'plistutil' or 'plutil -convert xml1'"
    case .notOurs: "another program made its 'Metadata.plist'"
    case .newerFormat(let version):
      "it has format \(version), and this program knows only format \(PackageMetadata.currentFormatVersion)"
    case .earlierFormat(let version):
      "a development version of this library made it, in format \(version); remove 'Metadata.plist' and '.docpkg' to "
        + "keep its files alone"
    case .invalidValue(let key): "'Metadata.plist' has no valid '\(key)'"
    }
  }

  /// Returns whether another program made the file with these bytes: they are no part of a file of this library.
  package func isOfOthers(_ bytes: Data) -> Bool {
    switch self {
    case .notOurs, .binary: true
    case .notAPropertyList: !bytes.isEmpty && !bytes.starts(with: "<".utf8)
    default: false
    }
  }

  package var code: FilePackageError.Code {
    switch self {
    case .newerFormat: .newerFormat
    case .earlierFormat: .unsupported
    default: .metadataDamaged
    }
  }
}

extension PackagePath {
  /// Whether a database may have the path: a child in a folder of the package.
  var canBeDatabase: Bool {
    (2...Self.maximumDepth).contains(names.count) && !PackageLayout.isOurs(self)
      && names.allSatisfy { $0.problem == nil }
  }
}
