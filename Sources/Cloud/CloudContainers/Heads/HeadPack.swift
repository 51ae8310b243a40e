import FilePackages
package import FoundationEssentials
package import ObjectStores

/// The last versions of many documents in one object, so that a new device needs no request for each.
///
/// It is a copy: the versions are objects of their own, and a listing of them says which ones are the last. A pack may
/// be old, damaged or gone.
package struct HeadPack: Sendable, Hashable {
  /// A version, with the bytes of its object.
  package struct Entry: Sendable, Hashable {
    package var document: CloudDocumentID
    package var sequence: Int
    package var bytes: Data

    package init(document: CloudDocumentID, sequence: Int, bytes: Data) {
      (self.document, self.sequence, self.bytes) = (document, sequence, bytes)
    }
  }

  /// The beginning of the keys.
  package static let prefix = "heads/"
  /// The largest number of versions.
  package static let maximumCount = 1024
  /// The size of the largest pack, in bytes.
  package static let maximumSize = 4 << 20
  private static let format: UInt8 = 1

  package var entries: [Entry]

  package init(_ entries: [Entry]) { self.entries = entries }

  /// The bytes of the object.
  package var bytes: Data {
    var writer = ByteWriter()
    writer.write(Self.format)
    for entry in entries {
      writer.write(entry.document.string)
      writer.write(UInt64(entry.sequence))
      writer.write(UInt32(entry.bytes.count))
      writer.write(entry.bytes)
    }
    return Data(writer.bytes)
  }

  /// Returns the key of a pack with these bytes.
  package static func key(of bytes: Data) -> ObjectKey {
    checkedKey("\(prefix)\(VersionDigest(bytes.withUnsafeBytes { ContentHash(of: $0) }))")
  }

  /// Reads a pack of any origin; nil unless the bytes are one, whole, in this format, under its key.
  package init?(decoding bytes: Data, at key: ObjectKey) {
    guard bytes.count <= Self.maximumSize, Self.key(of: bytes) == key else { return nil }
    self.init(decoding: bytes)
  }

  /// Reads a pack of any origin; nil unless the bytes are one, whole, in this format.
  package init?(decoding bytes: Data) {
    var reader = ByteReader([UInt8](bytes)[...])
    entries = []
    do throws(ByteReader.Damage) {
      guard try reader.read(UInt8.self) == Self.format else { return nil }
      while reader.remaining > 0 {
        let digits = String(decoding: try reader.read(count: 32), as: UTF8.self)
        let sequence = try reader.read(UInt64.self)
        let size = Int(try reader.read(UInt32.self))
        guard let document = CloudDocumentID(digits), sequence <= CloudVersion.maximumSequence,
          size <= CloudVersion.maximumSize, entries.count < Self.maximumCount
        else { return nil }
        entries.append(
          Entry(document: document, sequence: Int(sequence), bytes: Data(try reader.read(count: size))))
      }
    } catch {
      return nil
    }
  }

  /// Puts versions into as few packs as their limits allow.
  package static func packs(of entries: [Entry]) -> [HeadPack] {
    var packs: [HeadPack] = []
    var size = 0
    for entry in entries {
      let length = entry.bytes.count + 44
      if packs.isEmpty || packs[packs.count - 1].entries.count == maximumCount || size + length > maximumSize
      {
        packs.append(HeadPack([]))
        size = 1
      }
      packs[packs.count - 1].entries.append(entry)
      size += length
    }
    return packs
  }
}
