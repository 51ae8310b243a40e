import FilePackages
package import FoundationEssentials
package import ObjectStores

// LG1 An entry is made only if its number is free, and after all entries before it. So the log has one order.
// LG2 An entry has the hash of the one before. A reader that finds its last known entry knows that the store has all that
//     it had.

/// The rules that a device keeps to. Only a test leaves one out.
package struct LogRules: OptionSet, Sendable, Hashable {
  package let rawValue: Int
  package init(rawValue: Int) { self.rawValue = rawValue }

  /// A reader compares the hashes of entries.
  package static let chain = LogRules(rawValue: 1)
  /// No two documents have one name.
  package static let names = LogRules(rawValue: 2)
  /// An entry that may have been made is made again.
  package static let pending = LogRules(rawValue: 4)
  /// A device commits nothing that it stored before a collection of garbage.
  package static let collections = LogRules(rawValue: 8)
  /// A device forgets what it knew of entries that the store lost.
  package static let common = LogRules(rawValue: 16)
  package static let all: LogRules = [.chain, .names, .pending, .collections, .common]
}

/// The log of a container: a chain of numbered objects, `log/<number>`.
package struct ContainerLog: Sendable {
  package let store: any ObjectStore
  let rules: LogRules

  /// The beginning of the keys.
  package static let prefix = "log/"
  /// The number of entries from which a new device looks for a snapshot.
  private static let manyEntries = 16

  package init(_ store: any ObjectStore, rules: LogRules = .all) { (self.store, self.rules) = (store, rules) }

  /// An entry as the store has it.
  package struct Read: Sendable {
    package var position: LogPosition
    /// The store's date, in milliseconds; nil if no listing had it yet.
    package var date: Int64?
    package var entry: LogEntry
    package var bytes: Data
  }

  /// An entry in a listing.
  package struct Listed: Sendable, Hashable {
    package var number: Int
    package var date: Int64
  }

  /// The last entry that a device knows.
  package struct Known: Sendable, Hashable {
    package var position = LogPosition()
    package var date: Int64?
  }

  /// Returns the key of an entry.
  package static func key(_ number: Int) -> ObjectKey { checkedKey(prefix + paddedNumber(number, 16)) }

  /// Reads the key of an entry; nil for another key.
  package static func number(of key: ObjectKey) -> Int? {
    let segments = key.segments
    guard segments.count == 2, let number = Int(segments[1]), (1...LogEntry.maximumNumber).contains(number),
      self.key(number) == key
    else { return nil }
    return number
  }

  // MARK: Reading

  /// Reads the entries after the known one.
  ///
  /// Cost: one listing, and a read for each entry. If the date of the known entry is another one, it is read as well.
  ///
  /// - Returns: the entries, and the date of the known one; nil if that one is not there.
  /// - Throws: `CloudDataError` for an entry that is missing or damaged; `ObjectStoreError`.
  package func tail(after known: Known) async throws -> (entries: [Read], date: Int64?)? {
    let listed = try await list(from: known.position.number)
    let newer = listed.filter { $0.number > known.position.number }
    guard known.position.number > 0 else {
      return (try await read(newer, after: LogPosition()), nil)
    }
    var date = known.date
    if let first = listed.first, first.number == known.position.number {
      if first.date != known.date, try await hash(of: first.number) != known.position.hash,
        rules.contains(.chain)
      {
        return nil
      }
      date = first.date
    } else if rules.contains(.chain) {
      // A collection of garbage may have taken the known entry, and not yet the next one.
      guard let next = newer.first, next.number == known.position.number + 1,
        let bytes = try await bytes(of: next.number),
        let entry = try? LogEntry(decoding: bytes),  // Else it is not there.
        entry.previous == known.position.hash
      else { return nil }
    }
    return (try await read(newer, after: known.position), date)
  }

  /// Lists the entries from a number on.
  package func list(from number: Int) async throws -> [Listed] {
    var listed: [Listed] = []
    try await store.listAll(Self.prefix, after: number > 1 ? Self.key(number - 1) : nil) { page in
      listed += page.compactMap { object in
        Self.number(of: object.key).map { Listed(number: $0, date: object.modificationDate.milliseconds) }
      }
      return true
    }
    return listed
  }

  /// Reads entries, and checks that they follow an entry, each the one before (LG2).
  package func read(_ listed: [Listed], after position: LogPosition) async throws -> [Read] {
    for (object, number) in zip(listed, (position.number + 1)...) where object.number != number {
      throw missing(number)
    }
    let all = try await concurrentMap(listed, BlobStore.maximumCalls) { try await bytes(of: $0.number) }
    var (last, entries) = (position, [Read]())
    for (object, bytes) in zip(listed, all) {
      guard let bytes else { throw missing(object.number) }
      do throws(LogEntry.Problem) {
        let entry = try LogEntry(decoding: bytes)
        if rules.contains(.chain), entry.previous != last.hash { throw .invalid }
        last = LogPosition(object.number, BlobName(of: bytes))
        entries.append(Read(position: last, date: object.date, entry: entry, bytes: bytes))
      } catch {
        throw self.error(object.number, error.words, error == .newerFormat ? .newerFormat : .damagedLog)
      }
    }
    return entries
  }

  /// Reads the bytes of an entry, whatever they are; nil if there is none.
  package func bytes(of number: Int) async throws -> Data? {
    try await store.content(of: Self.key(number), limit: LogEntry.maximumSize + 1)
  }

  /// Returns the hash of an entry; nil if there is none.
  package func hash(of number: Int) async throws -> BlobName? {
    try await bytes(of: number).map { BlobName(of: $0) }
  }

  /// Makes the error of an entry that the store lost.
  func missing(_ number: Int) -> CloudDataError { error(number, "lacks an entry of its log") }

  /// Makes the error of an entry that is another one than the store had.
  func damaged(_ number: Int) -> CloudDataError {
    error(number, "has another entry in its log than it had")
  }

  /// Makes the error of a log whose first entries are gone, although no snapshot has what they had.
  func missingSnapshot(before number: Int) -> CloudDataError {
    error(number, "lacks the snapshot of all that came before this entry of its log")
  }

  /// Makes the error of a snapshot that the store got and does not give back.
  func damagedSnapshot(_ number: Int) -> CloudDataError {
    CloudDataError(
      .damagedLog, in: store.place, key: LogSnapshot.prefix + paddedNumber(number, 16),
      reason: "does not give back a snapshot of its log, so the old entries stay")
  }

  private func error(
    _ number: Int, _ reason: String, _ code: CloudDataError.Code = .damagedLog
  ) -> CloudDataError {
    CloudDataError(code, in: store.place, key: Self.key(number).string, reason: reason)
  }

  // MARK: The whole log

  /// The beginning of a log that a device reads anew.
  package enum Start: Sendable {
    case first
    case snapshot(LogSnapshot)
    case common(LogPosition)
  }

  /// Finds the beginning for a device that has not the last known entry in common with the store, and reads the rest.
  ///
  /// Cost: two listings, a logarithm of reads for the last common entry, the snapshot, and the entries after it.
  ///
  /// - Parameter known: the hashes of the entries that the device knows, by number.
  package func whole(knowing known: [Int: BlobName]) async throws -> (Start, [Read]) {
    let listed = try await list(from: 0)
    let isWhole = listed.last.map { $0.number == listed.count } ?? true
    do {
      if let common = try await lastCommon(listed, known) {
        return (.common(common), try await read(listed.filter { $0.number > common.number }, after: common))
      }
      if isWhole, listed.count <= Self.manyEntries {
        return (.first, try await read(listed, after: LogPosition()))
      }
    } catch let error as CloudDataError where error.isOfEntry {
      if let found = try await fromSnapshot(after: 0, listed) { return found }
      throw error
    }
    do {
      if let found = try await fromSnapshot(after: 0, listed) { return found }
    } catch let error as CloudDataError where error.code == .refusedByStore && isWhole {
      // The entries have all that the snapshot has.
    }
    return (.first, try await read(listed, after: LogPosition()))
  }

  /// Finds the last entry that a device and the store have both.
  private func lastCommon(_ listed: [Listed], _ known: [Int: BlobName]) async throws -> LogPosition? {
    let shared = listed.filter { known[$0.number] != nil }
    var (low, high) = (0, shared.count)
    while low < high {
      let middle = (low + high) / 2
      let isCommon = try await hash(of: shared[middle].number) == known[shared[middle].number]
      if isCommon { low = middle + 1 } else { high = middle }
    }
    guard low > 0, let hash = known[shared[low - 1].number] else { return nil }
    return LogPosition(shared[low - 1].number, hash)
  }

  /// Reads the newest snapshot whose entry the store has, and the entries after it; nil if there is none.
  ///
  /// - Throws: `CloudDataError` `refusedByStore` if the store has one, but none that it gives.
  /// - Parameter number: snapshots up to this entry are of no use.
  package func fromSnapshot(after number: Int, _ listed: [Listed]? = nil) async throws -> (Start, [Read])? {
    let entries = if let listed { listed } else { try await list(from: number) }
    var refusal: CloudDataError?
    for candidate in try await LogSnapshot.list(in: store) where candidate.number > number {
      do {
        guard entries.contains(where: { $0.number == candidate.number }),
          let snapshot = try await LogSnapshot.read(candidate, in: store),
          try await hash(of: candidate.number) == snapshot.position.hash
        else { continue }
        let rest = entries.filter { $0.number > candidate.number }
        return (.snapshot(snapshot), try await read(rest, after: snapshot.position))
      } catch let error as CloudDataError where error.code == .refusedByStore {
        refusal = error
      }
    }
    if let refusal { throw refusal }
    return nil
  }

  // MARK: Writing

  /// Makes an entry (LG1).
  ///
  /// - Returns: whether the store has these bytes as this entry. An earlier call, and one that comes late, are the same
  ///   call.
  package func append(_ bytes: Data, at number: Int) async throws -> Bool {
    guard number <= LogEntry.maximumNumber else { throw error(number, "has no number left for an entry") }
    if try await store.oneObject({ try await store.put(bytes, at: Self.key(number), ifAbsent: true) }) {
      return true
    }
    guard let present = try await self.bytes(of: number) else {
      throw error(number, "says that it has an entry of its log, and does not give it")
    }
    return present == bytes
  }
}
