import DurableIO
import FileTrees
import PackageFormat

/// A log as it is read: the header, the marks, the facts, and the records that count (J2).
struct LogContent {
  let bytes: LogBytes
  let header: SaveLog.Header
  /// The marks; nil if they were torn.
  let marks: SaveLog.Marks?
  /// The place of the first record.
  private(set) var records = 0
  /// Whether a part of the facts or of the records is missing at the end of the file.
  var isCut: Bool { max(records, Int(clamping: marks?.end ?? 0)) > bytes.size }
  /// The place after the last one.
  private(set) var end: Int
  /// The number of the last one, or of the last one in the facts.
  private(set) var sequence: UInt64
  private(set) var ledger: Ledger
  /// The last record that counts.
  private(set) var last: SaveRecord?
  /// The reason why a record does not count.
  private(set) var problem: String?

  /// Reads a log; nil if it does not begin as one does.
  init?(_ bytes: LogBytes) throws(SystemError) {
    let block = try bytes.read(0..<SaveLog.start)
    guard block.count == SaveLog.start, let header = SaveLog.Header(block),
      let base = Ledger.Base(block, of: bytes, &records)
    else { return nil }
    (self.bytes, self.header) = (bytes, header)
    marks = SaveLog.Marks(block.dropFirst(SaveLog.Marks.offset))
    ledger = try Ledger(base)
    (end, sequence) = (records, base.sequence)
    try scan()
  }

  private mutating func scan() throws(SystemError) {
    var window = Window(bytes)
    // Up to here, a record that does not count was committed once. Those after it still count.
    var committed = Int(clamping: marks?.end ?? 0)
    if committed > bytes.size || (committed - records) % SaveRecord.blockSize != 0 { committed = 0 }
    var offset = records
    // Reading ends where bytes that do not count are as long as the file: a record may name the rest of it.
    var wasted = 0
    while wasted <= bytes.size, let start = try window.read(offset, SaveRecord.headLength) {
      guard let head = SaveRecord.Head(start, limit: bytes.size - offset),
        offset < committed ? head.sequence > sequence : head.sequence == sequence + 1,
        let record = try record(head, at: offset, &window, &wasted)
      else {
        guard offset < committed else { break }
        offset += SaveRecord.blockSize
        continue
      }
      (last, sequence) = (record, record.sequence)
      ledger.note(record)
      offset += head.length
      end = offset
    }
    // Nothing overwrites what was committed.
    end = max(end, committed)
  }

  private mutating func record(
    _ head: SaveRecord.Head, at offset: Int, _ window: inout Window, _ wasted: inout Int
  ) throws(SystemError) -> SaveRecord? {
    // The lengths of file bytes in the head count only after its checksum proves right.
    guard let body = try window.read(offset, SaveRecord.headLength + head.bodyLength),
      head.isOf(body, in: header.seed)
    else {
      problem = "its checksum is wrong"
      wasted += head.bodyLength
      return nil
    }
    let whole = try window.read(offset, min(bytes.size - offset, head.length))
    do throws(ByteReader.Damage) {
      return try SaveRecord(whole ?? body, head)
    } catch {
      problem = error.words
      wasted += head.length
      return nil
    }
  }

  /// A part of the file, read in steps.
  private struct Window {
    private static let step = 1 << 16
    private let bytes: LogBytes
    private var start = 0
    private var loaded: ArraySlice<UInt8> = []

    init(_ bytes: LogBytes) { self.bytes = bytes }

    /// Returns so many bytes at an offset; nil if there are fewer.
    mutating func read(_ offset: Int, _ count: Int) throws(SystemError) -> ArraySlice<UInt8>? {
      guard count >= 0, offset + count <= bytes.size else { return nil }
      if offset < start || offset + count > start + loaded.count {
        loaded = try bytes.read(offset..<(offset + max(count, Self.step)))
        start = offset
      }
      let first = loaded.startIndex + offset - start
      guard first + count <= loaded.endIndex else { return nil }
      return loaded[first..<(first + count)]
    }
  }
}

extension Ledger {
  /// Reads the facts of a log in memory; nil if it does not begin as one does.
  package init?(log: [UInt8]) {
    let bytes = LogBytes(.memory(log), size: log.count)
    // No read of memory fails.
    guard let content = try? LogContent(bytes) else { return nil }
    self = content.ledger
  }
}
