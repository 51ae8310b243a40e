import DurableIO
import FileTrees
import PackageFormat

extension JournalFile {
  /// The records that count (J2).
  struct Scan {
    package var end: Int
    var checksum: ContentHash
    var record: JournalRecord?
    var batches: [ManifestBatch] = []
    package var keeping: [JournalRecord] = []
    /// The reason why the next record does not count; nil if none begins there.
    var problem: String?

    package init(end: Int, checksum: ContentHash, record: JournalRecord) {
      self.end = end
      self.checksum = checksum
      self.record = record
      batches = record.batch.map { [$0] } ?? []
      keeping.note(record)
    }

    init(_ file: inout FileBeginning, _ header: Header) throws(SystemError) {
      end = start
      checksum = header.seed
      while try file.has(end + JournalRecord.headLength) {
        guard let head = JournalRecord.Head(file.bytes[end...], limit: file.size - end),
          record.map({ head.sequence == $0.sequence + 1 }) ?? true
        else { break }
        // The lengths of file bytes in the head count only after its checksum proves right.
        let operations = end + JournalRecord.headLength + head.bodyLength
        guard try file.has(operations), head.isOf(file.bytes[end..<operations], after: checksum) else {
          problem = "its checksum is wrong"
          break
        }
        _ = try file.has(min(file.size, end + head.length))
        do throws(ByteReader.Damage) {
          let next = try JournalRecord(file.bytes[end...], head)
          record = next
          if let batch = next.batch { batches.note(batch) }
          keeping.note(next)
          checksum = head.checksum
          end += head.length
        } catch {
          problem = error.words
          break
        }
      }
    }
  }
}

extension [ManifestBatch] {
  /// Adds the batch of the next record; if two were made over the same state, the later one counts.
  mutating func note(_ batch: ManifestBatch) {
    if last?.parent == batch.parent { removeLast() }
    append(batch)
  }
}

extension [JournalRecord] {
  /// Adds the next record if it keeps a version, without the bytes of files.
  ///
  /// If two were made over the same state, the later one counts.
  mutating func note(_ record: JournalRecord) {
    guard let version = record.version else { return }
    if last?.version?.revision == version.revision { removeLast() }
    var record = record
    for index in record.operations.indices {
      guard case .put(var staged) = record.operations[index].action else { continue }
      staged.bytes = nil
      record.operations[index].action = .put(staged)
    }
    append(record)
  }
}
