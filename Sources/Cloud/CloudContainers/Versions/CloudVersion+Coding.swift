import DurableIO
import FilePackages
package import FoundationEssentials
import ObjectStores

// The bytes of a version are JSON, so that a person can read them, with sorted keys, so that equal versions have equal
// bytes. A reader refuses a value out of its limits. It takes further keys of a newer program for no error.

extension CloudVersion {
  /// The format that this version of the library reads and writes.
  static let format = 2
  /// The size of the largest version, in bytes.
  package static let maximumSize = 128 << 10
  /// The size of the longest type, and of the longest name of a device, in bytes.
  static let maximumTextSize = 255
  /// The largest number of open conflicts.
  static let maximumConflicts = 100

  /// The reason why bytes are no version.
  package enum Problem: Error, Hashable {
    case tooLarge
    case notAVersion
    case newerFormat
    case invalid(String)
  }

  private struct Record: Codable {
    var format: Int
    var document: String
    var sequence: Int
    var conflicts: [Conflict]
    var device: String
    var deviceName: String
    var contentDevice: String?
    var date: Int64
    var name: String
    var type: String
    var isPackage: Bool
    var root: Data
    var blobs: [Data]?
    var isDeleted: Bool
  }

  private struct Conflict: Codable {
    var root: Data
    var origin: Data?
    var deviceName: String
    var date: Int64
  }

  /// From 1970 to the year 4000, in milliseconds.
  static let dates: ClosedRange<Int64> = 0...64_000_000_000_000

  private struct Format: Decodable { var format: Int }

  /// The bytes of the object.
  package func encoded() throws -> Data {
    let record = Record(
      format: Self.format, document: document.string, sequence: sequence,
      conflicts: conflicts.map {
        Conflict(
          root: Data($0.root.bytes), origin: $0.origin.map { Data($0.bytes) }, deviceName: $0.deviceName,
          date: $0.date.milliseconds)
      }, device: device,
      deviceName: deviceName, contentDevice: contentDevice, date: date.milliseconds, name: name,
      type: contentType, isPackage: isPackage,
      root: Data(root.bytes), blobs: hasContent ? blobs : nil, isDeleted: isDeleted)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    return try encoder.encode(record)
  }

  /// Reads a version of any origin.
  ///
  /// - Parameter isChecked: whether the blobs are known to be those of the tree, as in a version that the state has.
  package init(decoding data: Data, isChecked: Bool = false) throws(Problem) {
    guard data.count <= Self.maximumSize else { throw .tooLarge }
    let record: Record
    do {
      record = try JSONDecoder().decode(Record.self, from: data)
    } catch {
      // A newer program may have other values.
      let format = try? JSONDecoder().decode(Format.self, from: data).format
      throw format ?? 0 > Self.format ? .newerFormat : .notAVersion
    }
    if record.format > Self.format { throw .newerFormat }
    guard record.format == Self.format else { throw .invalid("format") }
    guard let document = CloudDocumentID(record.document) else { throw .invalid("document") }
    guard (1...Self.maximumSequence).contains(record.sequence) else { throw .invalid("sequence") }
    guard DocumentName.isValid(record.name) else { throw .invalid("name") }
    guard let root = TreeRoot(bytes: ArraySlice(record.root)) else { throw .invalid("root") }
    guard Self.isDevice(record.device) else { throw .invalid("device") }
    guard record.deviceName.utf8.count <= Self.maximumTextSize else { throw .invalid("deviceName") }
    guard record.contentDevice?.utf8.count ?? 0 <= Self.maximumTextSize else {
      throw .invalid("contentDevice")
    }
    guard record.type.utf8.count <= Self.maximumTextSize else { throw .invalid("type") }
    guard Self.dates.contains(record.date) else { throw .invalid("date") }
    self.init(
      document: document, sequence: record.sequence,
      conflicts: try Self.conflicts(record.conflicts), device: record.device,
      deviceName: record.deviceName, contentDevice: record.contentDevice,
      date: Date(milliseconds: record.date), name: record.name,
      contentType: record.type, isPackage: record.isPackage, root: root,
      blobs: record.blobs ?? [], isDeleted: record.isDeleted)
    // The blobs are those of the whole tree (EN1).
    if !isChecked, let blobs = record.blobs,
      blobs.isEmpty || root.parts(among: blobs) != blobs
    {
      throw .invalid("blobs")
    }
  }

  /// Returns whether a text can be the identity of a device.
  static func isDevice(_ text: String) -> Bool {
    ObjectKey(text)?.segments.count == 1 && text.utf8.count <= 64
  }

  private static func conflicts(_ records: [Conflict]) throws(Problem) -> [LostVersion] {
    guard records.count <= maximumConflicts else { throw .invalid("conflicts") }
    var conflicts: [LostVersion] = []
    for record in records {
      guard let root = TreeRoot(bytes: ArraySlice(record.root)),
        record.deviceName.utf8.count <= maximumTextSize,
        dates.contains(record.date)
      else { throw .invalid("conflicts") }
      let origin = record.origin.flatMap { TreeRoot(bytes: ArraySlice($0)) }
      if record.origin != nil, origin == nil { throw .invalid("conflicts") }
      conflicts.append(
        LostVersion(
          root: root, origin: origin, deviceName: record.deviceName, date: Date(milliseconds: record.date)))
    }
    return conflicts
  }
}

extension CloudVersion.Problem {
  /// The reason in words.
  package var words: String {
    switch self {
    case .tooLarge: "a version is larger than \(CloudVersion.maximumSize) bytes"
    case .notAVersion: "it is no version of a document"
    case .newerFormat: "a newer version of this program wrote it"
    case .invalid(let key): "its '\(key)' is not valid"
    }
  }

  /// The code of the error that says so.
  package var code: CloudDataError.Code {
    switch self {
    case .tooLarge: .tooLarge
    case .newerFormat: .newerFormat
    case .notAVersion, .invalid: .invalid
    }
  }
}

extension Date {
  /// Milliseconds since 1970, rounded to the nearest one: a date of milliseconds gives these again.
  package var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }

  /// Makes a date of milliseconds since 1970.
  package init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
