import FilePackages
package import FoundationEssentials
package import ObjectStores

// A reader of foreign bytes: any writer to the store can make a snapshot. No library knows this format.
// A snapshot is made of the log alone. So two devices that make one of the same entry make the same bytes.

/// The state of a container after an entry of its log: all versions that it keeps, and its devices.
///
/// Its bytes are cut into parts of 4 MiB. Each part begins with the hash of the whole.
package struct LogSnapshot: Sendable {
  /// A version that the container keeps.
  package struct Kept: Sendable, Hashable {
    /// The number of the entry that has it.
    package var entry: Int
    package var stored: StoredVersion
  }

  /// A machine.
  package struct Device: Sendable, Hashable {
    package var id: String
    package var name: String
    package var date: Int64
    package var entry: Int
  }

  package var position: LogPosition
  package var versions: [Kept] = []
  package var devices: [Device] = []
  /// The number of the last entry that began or ended a collection of garbage; 0 for none.
  package var lastCollection = 0

  /// The beginning of the keys.
  package static let prefix = "state/"
  private static let partSize = 4 << 20
  private static let maximumParts = 256
  private static let format: UInt8 = 1

  package init(after position: LogPosition) { self.position = position }

  /// The bytes, in the order of documents and numbers.
  package var bytes: Data {
    var writer = ByteWriter()
    writer.write(Self.format)
    writer.write(UInt64(position.number))
    writer.write(position.hash.hash)
    writer.write(UInt64(lastCollection))
    writer.write(UInt32(devices.count))
    for device in devices {
      writer.write(UInt64(device.entry))
      writer.write(device.date)
      writer.writeShort(Array(device.id.utf8))
      writer.writeShort(Array(device.name.utf8))
    }
    for version in versions {
      writer.write(UInt64(version.entry))
      writer.write(UInt32(version.stored.bytes.count))
      writer.write(version.stored.bytes)
    }
    return Data(writer.bytes)
  }

  /// Reads a snapshot of any origin; nil for anything else.
  package init?(decoding bytes: Data) {
    var reader = ByteReader([UInt8](bytes)[...])
    do {
      guard try reader.read(UInt8.self) == Self.format, let number = Self.number(try reader.read()),
        let hash = ContentHash(bytes: try reader.read(count: ContentHash.count)),
        let last = Self.number(try reader.read())
      else { return nil }
      self.init(after: LogPosition(number, BlobName(hash)))
      lastCollection = last
      for _ in 0..<(try reader.read(UInt32.self)) {
        guard let entry = Self.number(try reader.read()) else { return nil }
        let date = try reader.read(Int64.self)
        let (id, name) = (Array(try reader.readShort()), Array(try reader.readShort()))
        guard let id = String(validating: id, as: UTF8.self), CloudVersion.isDevice(id),
          let name = String(validating: name, as: UTF8.self), name.utf8.count <= 255
        else { return nil }
        devices.append(Device(id: id, name: name, date: date, entry: entry))
      }
      while reader.remaining > 0 {
        guard let entry = Self.number(try reader.read()) else { return nil }
        let bytes = Data(try reader.read(count: Int(try reader.read(UInt32.self))))
        versions.append(Kept(entry: entry, stored: try StoredVersion(decoding: bytes)))
      }
    } catch {
      return nil
    }
  }

  private static func number(_ number: UInt64) -> Int? {
    number <= UInt64(LogEntry.maximumNumber) ? Int(number) : nil
  }

  // MARK: Parts

  /// The parts, each with its key.
  package var parts: [(key: ObjectKey, bytes: Data)] {
    let whole = bytes
    let hash = BlobName(of: whole).hash.bytes
    let count = max(1, (whole.count + Self.partSize - 1) / Self.partSize)
    return (0..<count).map { part in
      let chunk = whole[part * Self.partSize..<min((part + 1) * Self.partSize, whole.count)]
      return (Self.key(position.number, part + 1, of: count), Data(hash) + chunk)
    }
  }

  private static func key(_ number: Int, _ part: Int, of count: Int) -> ObjectKey {
    checkedKey("\(prefix)\(paddedNumber(number, 16))/\(paddedNumber(part, 4))-\(paddedNumber(count, 4))")
  }

  /// The parts of a snapshot in a store.
  struct Listed: Sendable {
    var number: Int
    var parts: [StoredObject] = []
    var count: Int
    var isWhole: Bool { parts.count == count }
    var size: Int { parts.reduce(0) { $0 + $1.size } }
  }

  /// Lists the snapshots of a store, the newest first.
  static func list(in store: any ObjectStore) async throws -> [Listed] {
    var found: [ObjectKey: Listed] = [:]
    try await store.listAll(prefix) { page in
      for object in page {
        let segments = object.key.segments
        guard segments.count == 3, let number = Int(segments[1]) else { continue }
        let numbers = segments[2].split(separator: "-").compactMap { Int($0) }
        guard numbers.count == 2, (1...maximumParts).contains(numbers[1]),
          (0...LogEntry.maximumNumber).contains(number), key(number, numbers[0], of: numbers[1]) == object.key
        else { continue }
        found[key(number, 1, of: numbers[1]), default: Listed(number: number, count: numbers[1])]
          .parts.append(object)
      }
      return true
    }
    return found.values.sorted { ($0.number, $0.count) > ($1.number, $1.count) }
  }

  /// Reads a snapshot; nil if it is none.
  static func read(_ listed: Listed, in store: any ObjectStore) async throws -> LogSnapshot? {
    guard listed.isWhole else { return nil }
    let limit = partSize + ContentHash.count + 1
    let parts = try await concurrentMap(listed.parts.sorted { $0.key < $1.key }, BlobStore.maximumCalls) {
      try await store.content(of: $0.key, limit: limit)
    }
    let hash = parts.first.flatMap { $0?.prefix(ContentHash.count) }
    var whole = Data()
    for part in parts {
      guard let part, part.count < limit, part.prefix(ContentHash.count) == hash else { return nil }
      whole += part.dropFirst(ContentHash.count)
    }
    guard Data(BlobName(of: whole).hash.bytes) == hash, let snapshot = LogSnapshot(decoding: whole),
      snapshot.position.number == listed.number
    else { return nil }
    return snapshot
  }
}
