import FilePackages
package import FoundationEssentials
import ObjectStores

// A reader of foreign bytes: any writer to the store can make an entry. No library knows this format.

/// A version, with its bytes in the log.
package struct StoredVersion: Sendable, Hashable {
  package var version: CloudVersion
  package var bytes: Data

  /// Reads a version of any origin.
  package init(decoding bytes: Data) throws(CloudVersion.Problem) {
    (version, self.bytes) = (try CloudVersion(decoding: bytes), bytes)
  }
}

/// An entry of the log by its number and the hash of its bytes. It stands for all entries up to it.
package struct LogPosition: Sendable, Hashable {
  /// The number of the entry; 0 before the first one.
  package var number: Int
  /// The hash of the bytes; zeros before the first entry.
  package var hash: BlobName

  package init(_ number: Int = 0, _ hash: BlobName = .zeros) { (self.number, self.hash) = (number, hash) }
}

/// One object of the log: the changes that a device committed together.
///
/// Its bytes have the hash of the entry before. So the hash of one entry stands for all entries up to it.
package struct LogEntry: Sendable, Hashable {
  /// A change of the container.
  package enum Change: Sendable, Hashable {
    /// The next version of a document.
    case version(StoredVersion)
    /// A device joined, or has another name; nil: it was removed.
    case device(String, name: String?)
    /// The device collects garbage. The versions that were replaced before an entry are gone.
    case collecting(before: Int)
    /// The collection of an entry removes nothing any more.
    case collected(Int)
    /// The container moved to the store of an address.
    case moved(String)
  }

  /// The reason why bytes are no entry.
  package enum Problem: Error, Hashable { case tooLarge, newerFormat, invalid }

  /// The largest number of changes.
  package static let maximumChanges = 257
  /// The size of the largest entry, in bytes.
  package static let maximumSize = 4 << 20
  /// The largest number of an entry.
  package static let maximumNumber = 9_999_999_999_999_999
  private static let format: UInt8 = 1

  /// The hash of the bytes of the entry before; zeros for the first one.
  package var previous: BlobName
  /// The device that made the entry.
  package var device: String
  /// The time by the clock of that device, in milliseconds, for people.
  package var date: Int64
  package var changes: [Change]

  package init(after previous: BlobName, by device: String, on date: Int64, _ changes: [Change]) {
    (self.previous, self.device, self.date, self.changes) = (previous, device, date, changes)
  }

  /// The versions.
  package var versions: [StoredVersion] {
    changes.compactMap { if case .version(let version) = $0 { version } else { nil } }
  }

  // MARK: Bytes

  /// The bytes of the object: the format, the hash of the entry before, the size of the device's identity and the
  /// identity, the date. Then come the changes, each with its kind, the size of its bytes in 4 bytes, and the bytes.
  package var bytes: Data {
    var writer = ByteWriter()
    writer.write(Self.format)
    writer.write(previous.hash)
    writer.write(UInt8(device.utf8.count))
    writer.write(device)
    writer.write(date)
    for change in changes {
      let (kind, bytes) = change.coded
      writer.write(kind)
      writer.write(UInt32(bytes.count))
      writer.write(bytes)
    }
    return Data(writer.bytes)
  }

  /// Reads an entry of any origin.
  package init(decoding bytes: Data) throws(Problem) {
    guard bytes.count <= Self.maximumSize else { throw .tooLarge }
    if let format = bytes.first, (2..<16).contains(format) { throw .newerFormat }
    var reader = ByteReader([UInt8](bytes)[...])
    do {
      guard let read = try LogEntry(from: &reader) else { throw Problem.invalid }
      self = read
    } catch let problem as Problem {
      throw problem
    } catch {
      throw .invalid
    }
  }

  /// Reads an entry; nil for anything else.
  private init?(from reader: inout ByteReader) throws {
    guard try reader.read(UInt8.self) == Self.format else { return nil }
    let previous = try reader.readHash()
    let name = Array(try reader.read(count: Int(try reader.read(UInt8.self))))
    guard let device = String(validating: name, as: UTF8.self), CloudVersion.isDevice(device) else {
      return nil
    }
    self.init(after: BlobName(previous), by: device, on: try reader.read(), [])
    guard CloudVersion.dates.contains(date) else { return nil }
    while reader.remaining > 0 {
      let kind = try reader.read(UInt8.self)
      let bytes = Array(try reader.read(count: Int(try reader.read(UInt32.self))))
      guard changes.count < Self.maximumChanges, let change = try Change(kind, bytes) else { return nil }
      changes.append(change)
    }
    guard !changes.isEmpty else { return nil }
  }

}

extension LogEntry.Change {
  fileprivate var coded: (kind: UInt8, bytes: [UInt8]) {
    switch self {
    case .version(let version): (1, Array(version.bytes))
    case .device(let id, let name?): (2, Array("\(id)/\(name)".utf8))
    case .device(let id, nil): (3, Array(id.utf8))
    case .collecting(let number): (4, Array("\(number)".utf8))
    case .collected(let number): (5, Array("\(number)".utf8))
    case .moved(let address): (6, Array(address.utf8))
    }
  }

  /// Reads a change; nil for anything else.
  fileprivate init?(_ kind: UInt8, _ bytes: [UInt8]) throws {
    if kind == 1 {
      do throws(CloudVersion.Problem) {
        self = .version(try StoredVersion(decoding: Data(bytes)))
        return
      } catch {
        throw error == .newerFormat ? LogEntry.Problem.newerFormat : .invalid
      }
    }
    guard bytes.count <= 4 << 10, let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let number = Int(text).flatMap {
      "\($0)" == text && (0...LogEntry.maximumNumber).contains($0) ? $0 : nil
    }
    switch (kind, number) {
    case (2, _):
      let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, CloudVersion.isDevice(String(parts[0])),
        parts[1].utf8.count <= CloudVersion.maximumTextSize
      else { return nil }
      self = .device(String(parts[0]), name: String(parts[1]))
    case (3, _):
      guard CloudVersion.isDevice(text) else { return nil }
      self = .device(text, name: nil)
    case (4, let number?): self = .collecting(before: number)
    case (5, let number?): self = .collected(number)
    case (6, _): self = .moved(text)
    default: return nil
    }
  }
}

extension LogEntry.Problem {
  /// The reason in words, about the container.
  package var words: String {
    switch self {
    case .tooLarge: "has an entry of its log that is larger than it may be"
    case .newerFormat: "has an entry of its log that a newer version of this program wrote"
    case .invalid: "has an entry of its log that is damaged"
    }
  }
}
