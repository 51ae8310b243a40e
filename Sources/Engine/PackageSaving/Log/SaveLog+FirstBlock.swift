import DurableIO
import FoundationEssentials
import PackageFormat

extension SaveLog.Header {
  private static let magic = Array("DOCPKGL1".utf8)
  private static let length = 8 + 4 + 16 + 8 + 1 + 12

  /// A hash that the checksums of all records cover.
  var seed: ContentHash { ContentHash(of: identifier.bytes) }

  /// Writes the first block: the header, the marks, and the facts.
  func encode(_ marks: SaveLog.Marks, _ facts: [UInt8], to writer: inout ByteWriter) {
    let start = writer.count
    writer.write(Self.magic)
    writer.write(UInt32(1))
    writer.write(identifier)
    writer.write(inode)
    writer.write(UInt8(born == nil ? 0 : 1))
    writer.write(born ?? FileTime(seconds: 0, nanoseconds: 0))
    writer.write(writer.hash(from: start))
    writer.pad(to: SaveLog.Marks.offset)
    writer.write(marks.encoded)
    writer.pad(to: Ledger.Base.offset)
    writer.write(facts)
    writer.pad(to: SaveLog.start)
  }

  init?(_ block: ArraySlice<UInt8>) {
    var reader = ByteReader(block)
    do throws(ByteReader.Damage) {
      guard try reader.read(count: 8).elementsEqual(Self.magic), try reader.read(UInt32.self) == 1 else {
        return nil
      }
      identifier = UUID(bytes: try reader.read(count: 16))
      inode = try reader.read()
      let hasBorn = try reader.read(UInt8.self) == 1
      let time = try reader.readTime()
      born = hasBorn ? time : nil
      let written = try reader.read(count: ContentHash.count)
      guard ContentHash(bytes: written) == ContentHash(of: Array(block.prefix(Self.length))) else {
        return nil
      }
    } catch {
      return nil
    }
  }
}

extension SaveLog.Marks {
  /// The place of the marks, in a sector of their own.
  static let offset = 512
  static let length = 8 + 8 + 8 + ContentHash.count

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: Self.length)
    writer.write(committed)
    writer.write(applied)
    writer.write(end)
    writer.write(writer.hash(from: 0))
    return writer.bytes
  }

  /// Decodes marks; nil if they were torn or are not ours. Then the log does not say what is committed and
  /// published.
  init?(_ bytes: ArraySlice<UInt8>) {
    var reader = ByteReader(bytes)
    do throws(ByteReader.Damage) {
      self.init(committed: try reader.read(), applied: try reader.read(), end: try reader.read())
      guard
        ContentHash(bytes: try reader.read(count: ContentHash.count))
          == ContentHash(of: Array(bytes.prefix(24))),
        applied <= committed, committed < SaveRecord.maximumSequence / 2
      else { return nil }
    } catch {
      return nil
    }
  }
}
