import FilePackages
import FoundationEssentials
import GRDB

// An entry is applied in one transaction, with the position after it. So the state is that of one moment of the log.
// What is here of a version goes to the state before its entry goes to the store, and counts with the entry.

/// What a look at the log changed.
package struct LearnedChanges: Sendable {
  /// The documents with a new version of another device.
  package var documents: Set<String> = []
  /// The placeholders that other devices renamed.
  package var renamed: [(old: String, new: String)] = []
  /// The names of documents whose last version the store had lost.
  package var lost: [String] = []
}

/// A collection of garbage that has not ended.
package struct RunningCollection: Sendable, Hashable {
  package var device: String
  /// The number of the entry that began it.
  package var entry: Int
  /// The time when this machine learned of it, by its clock, in milliseconds.
  package var seen: Int64
}

extension ContainerState {
  /// The content that is here if a version is committed.
  package struct Here: Sendable {
    var document: String
    var root: TreeRoot
    var name: String
    var children: KnownChildren
  }

  // MARK: Reading

  /// The last entry that this machine knows.
  package func known() async throws -> ContainerLog.Known { try await read(Self.known) }

  private static func known(_ db: Database) throws -> ContainerLog.Known {
    let parts = try text(.position, db)?.split(separator: " ") ?? []
    guard parts.count == 3, let number = Int(parts[0]), let hash = BlobName(digits: parts[1]) else {
      return ContainerLog.Known()
    }
    return ContainerLog.Known(position: LogPosition(number, hash), date: Int64(parts[2]))
  }

  private static func setKnown(_ position: LogPosition, _ date: Int64?, _ db: Database) throws {
    try set(.position, to: "\(position.number) \(position.hash) \(date.map { "\($0)" } ?? "-")", db)
  }

  /// Returns the hashes of the entries that this machine knows, by number.
  func entryHashes() async throws -> [Int: BlobName] {
    try await read { db in
      var hashes: [Int: BlobName] = [:]
      let rows = try Row.fetchCursor(db, sql: "SELECT number, hash FROM entry")
      while let row = try rows.next() { hashes[row["number"]] = BlobName(digits: row["hash"] as String) }
      return hashes
    }
  }

  /// Returns the bytes of an entry; nil if this machine does not have them.
  func entryBytes(_ number: Int) async throws -> Data? {
    try await read {
      try Data.fetchOne($0, sql: "SELECT bytes FROM entry WHERE number = ?", arguments: [number])
    }
  }

  /// Returns the weight of the entries after a number: each is a request at least.
  func weightOfEntries(after number: Int) async throws -> Int {
    try await read {
      try Int.fetchOne(
        $0, sql: "SELECT sum(max(length(bytes), 4096)) FROM entry WHERE number > ?", arguments: [number]) ?? 0
    }
  }

  /// The entry that may have been made.
  func pending() async throws -> (number: Int, bytes: Data)? {
    try await read { db in
      try Row.fetchOne(db, sql: "SELECT * FROM pending").map { ($0["number"], $0["bytes"]) }
    }
  }

  /// Returns the kept versions of a document, the last one first.
  func versions(of id: String) async throws -> [CloudVersion] {
    try await read { db in
      try Data.fetchAll(
        db, sql: "SELECT bytes FROM version WHERE document = ? ORDER BY number DESC", arguments: [id]
      ).map { try CloudVersion(decoding: $0, isChecked: true) }
    }
  }

  /// Returns all that the container keeps, after the last known entry.
  package func snapshot() async throws -> LogSnapshot {
    try await read { db in
      var snapshot = LogSnapshot(after: try Self.known(db).position)
      snapshot.lastCollection = try Self.lastCollection(db)
      let rows = try Row.fetchCursor(db, sql: "SELECT entry, bytes FROM version ORDER BY document, number")
      while let row = try rows.next() {
        snapshot.versions.append(
          LogSnapshot.Kept(entry: row["entry"], stored: try StoredVersion(decoding: row["bytes"])))
      }
      snapshot.devices = try Self.devices(db)
      return snapshot
    }
  }

  /// Returns the machines of the container.
  func devices() async throws -> [LogSnapshot.Device] { try await read(Self.devices) }

  private static func devices(_ db: Database) throws -> [LogSnapshot.Device] {
    try Row.fetchAll(db, sql: "SELECT * FROM device ORDER BY id").map {
      LogSnapshot.Device(id: $0["id"], name: $0["name"], date: $0["date"], entry: $0["entry"])
    }
  }

  /// Returns the identity of the document that has a folded name in the container; nil if none has.
  func holder(ofName folded: String) async throws -> String? {
    try await read {
      try String.fetchOne($0, sql: "SELECT id FROM document WHERE liveName = ?", arguments: [folded])
    }
  }

  /// The collection that has not ended; nil if there is none.
  package func collection() async throws -> RunningCollection? { try await read(Self.collection) }

  private static func collection(_ db: Database) throws -> RunningCollection? {
    let parts = try text(.collection, db)?.split(separator: " ") ?? []
    guard parts.count == 3, let entry = Int(parts[1]), let seen = Int64(parts[2]) else { return nil }
    return RunningCollection(device: String(parts[0]), entry: entry, seen: seen)
  }

  /// The number of the last entry that began or ended a collection; 0 for none.
  package func lastCollection() async throws -> Int { try await read(Self.lastCollection) }

  private static func lastCollection(_ db: Database) throws -> Int {
    try text(.lastCollection, db).flatMap { Int($0) } ?? 0
  }

  // MARK: Writing

  /// Notes an entry before the store gets it.
  func setPending(_ bytes: Data, at number: Int, here: [Here]) async throws {
    try await write { db in
      try Self.forgetPending(db)
      try db.execute(sql: "INSERT INTO pending VALUES (?, ?)", arguments: [number, bytes])
      for here in here {
        try db.execute(
          sql: "INSERT INTO pendingBase VALUES (?, ?, ?)",
          arguments: [here.document, Data(here.root.bytes), here.name])
        let insertion = try db.cachedStatement(sql: "INSERT INTO pendingPage VALUES (?, ?, ?)")
        for page in here.children.pages {
          try insertion.execute(arguments: [here.document, page.key, Data(page.stored)])
        }
      }
    }
  }

  /// Forgets an entry that another one took the number of.
  func forgetPending() async throws { try await write(Self.forgetPending) }

  private static func forgetPending(_ db: Database) throws {
    for table in ["pending", "pendingBase", "pendingPage"] { try db.execute(sql: "DELETE FROM \(table)") }
  }

  /// Applies entries after the known one.
  ///
  /// - Parameters:
  ///   - start: the beginning, if the device does not go on from the last known entry.
  ///   - date: the store's date of the entry before.
  ///   - device: this device.
  ///   - time: this machine's time, in milliseconds.
  func learn(
    _ entries: [ContainerLog.Read], from start: ContainerLog.Start? = nil, date: Int64?, device: String,
    time: Int64, forgetsLost: Bool = true
  ) async throws -> LearnedChanges {
    try await write { db in
      var news = LearnedChanges()
      var known = try Self.known(db)
      if let start {
        try db.execute(
          sql: """
            DROP TABLE IF EXISTS old;
            CREATE TEMP TABLE old AS SELECT * FROM version;
            CREATE INDEX temp.oldVersions ON old (document, number);
            """)
        known = try Self.begin(start, known, db)
        news.documents = Set(
          try String.fetchAll(
            db,
            sql: """
              SELECT id FROM document WHERE head IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM old WHERE document = id AND bytes = head)
              """))
      } else if known.position.number > 0 {
        known.date = date
      }
      let pending = try Row.fetchOne(db, sql: "SELECT * FROM pending")
      for read in entries {
        let isPending = pending.map { row in
          row["number"] as Int == read.position.number && row["bytes"] as Data == read.bytes
        }
        try Self.apply(read, by: device, isPending: isPending ?? false, time, &news, db)
        known = ContainerLog.Known(position: read.position, date: read.date)
      }
      if start != nil || pending.map({ ($0["number"] as Int) <= known.position.number }) ?? false {
        try Self.forgetPending(db)
      }
      try Self.setKnown(known.position, known.date, db)
      if start != nil {
        if forgetsLost { news.lost = try Self.rebaseLost(db) }
        try db.execute(sql: "DROP TABLE old")
      }
      return news
    }
  }

  /// Goes back to the beginning of a log that is read anew.
  private static func begin(
    _ start: ContainerLog.Start, _ known: ContainerLog.Known, _ db: Database
  ) throws -> ContainerLog.Known {
    try db.execute(sql: "DELETE FROM setting WHERE name = 'collection'")
    var news = LearnedChanges()
    var position = LogPosition()
    switch start {
    case .common(let common):
      position = common
      for (table, column) in [("version", "entry"), ("entry", "number"), ("device", "entry")] {
        try db.execute(sql: "DELETE FROM \(table) WHERE \(column) > ?", arguments: [common.number])
      }
      try set(.lastCollection, to: "\(common.number)", db)
    case .first, .snapshot:
      for table in ["version", "entry", "device"] { try db.execute(sql: "DELETE FROM \(table)") }
      try set(.lastCollection, to: "0", db)
    }
    try db.execute(
      sql: """
        UPDATE document SET head = (
          SELECT bytes FROM version WHERE document = id ORDER BY number DESC LIMIT 1)
        """)
    for row in try Row.fetchAll(db, sql: "SELECT id, head FROM document") {
      let head = try (row["head"] as Data?).map { try CloudVersion(decoding: $0, isChecked: true) }
      try setLiveName(head, of: row["id"], db)
    }
    if case .snapshot(let snapshot) = start {
      position = snapshot.position
      for kept in snapshot.versions { try apply(kept.stored, in: kept.entry, &news, db) }
      for device in snapshot.devices { try insert(device, db) }
      try set(.lastCollection, to: "\(snapshot.lastCollection)", db)
    }
    return ContainerLog.Known(position: position)
  }

  private static func insert(_ device: LogSnapshot.Device, _ db: Database) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO device VALUES (?, ?, ?, ?)",
      arguments: [device.id, device.name, device.date, device.entry])
  }

  private static func apply(
    _ read: ContainerLog.Read, by own: String, isPending: Bool, _ time: Int64, _ news: inout LearnedChanges,
    _ db: Database
  ) throws {
    let (number, entry) = (read.position.number, read.entry)
    try db.execute(
      sql: "INSERT OR REPLACE INTO entry VALUES (?, ?, ?)",
      arguments: [number, "\(read.position.hash)", read.bytes])
    for change in entry.changes {
      switch change {
      case .version(let stored):
        try apply(stored, in: number, &news, db)
        if isPending || entry.device == own { news.documents.remove(stored.version.document.string) }
        if isPending { try rebase(stored.version.document.string, db) }
      case .device(let id, let name?):
        let joined = try Int.fetchOne(db, sql: "SELECT entry FROM device WHERE id = ?", arguments: [id])
        try insert(LogSnapshot.Device(id: id, name: name, date: entry.date, entry: joined ?? number), db)
      case .device(let id, nil):
        try db.execute(sql: "DELETE FROM device WHERE id = ?", arguments: [id])
        if id == own { try set(.removed, to: "1", db) }
      case .collecting(let before):
        try set(.collection, to: "\(entry.device) \(number) \(time)", db)
        try set(.lastCollection, to: "\(number)", db)
        try expire(before: before, db)
      case .collected(let begun):
        try set(.lastCollection, to: "\(number)", db)
        if try collection(db)?.entry == begun {
          try db.execute(sql: "DELETE FROM setting WHERE name = 'collection'")
        }
      case .moved(let address): try set(.moved, to: address, db)
      }
    }
    try db.execute(
      sql: "UPDATE device SET date = ? WHERE id = ?", arguments: [entry.date, entry.device])
  }

  /// Forgets what a collection of garbage takes: versions that were replaced before an entry, and entries before it.
  private static func expire(before number: Int, _ db: Database) throws {
    try db.execute(
      sql: """
        DELETE FROM version WHERE EXISTS (
          SELECT 1 FROM version AS next WHERE next.document = version.document
            AND next.number = version.number + 1 AND next.entry < ?);
        """, arguments: [number])
    try db.execute(sql: "DELETE FROM entry WHERE number < ?", arguments: [number])
  }

  private static func apply(
    _ stored: StoredVersion, in entry: Int, _ news: inout LearnedChanges, _ db: Database
  ) throws {
    let (version, id) = (stored.version, stored.version.document.string)
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO version VALUES (?, ?, ?, ?)")
      .execute(arguments: [id, version.sequence, entry, stored.bytes])
    news.documents.insert(id)
    if let record = try DocumentRecord.fetchOne(db, key: id) {
      if record.base == nil, record.node == nil {
        if record.head != nil, record.name != version.name, !version.isDeleted {
          news.renamed.append((record.name, version.name))
        }
        try db.execute(sql: "UPDATE document SET name = ? WHERE id = ?", arguments: [version.name, id])
      }
    } else {
      try DocumentRecord(id: version.document, name: version.name).insert(db)
    }
    try db.cachedStatement(sql: "UPDATE document SET head = ? WHERE id = ?").execute(arguments: [
      stored.bytes, id,
    ])
    try setLiveName(version, of: id, db)
  }

  private static func setLiveName(_ head: CloudVersion?, of id: String, _ db: Database) throws {
    let name = head.flatMap { $0.isDeleted ? nil : DocumentName.folded($0.name) }
    try db.cachedStatement(sql: "UPDATE document SET liveName = ? WHERE id = ?").execute(arguments: [
      name, id,
    ])
  }

  /// Makes the content that is here with a committed version the base of its document.
  private static func rebase(_ id: String, _ db: Database) throws {
    guard let row = try Row.fetchOne(db, sql: "SELECT * FROM pendingBase WHERE document = ?", arguments: [id])
    else { return }
    try db.execute(
      sql: """
        UPDATE document SET base = ?, baseName = ?, contentSum = NULL, isWanted = 0
        WHERE id = ?
        """, arguments: [row["root"] as Data, row["name"] as String, id])
    try db.execute(sql: "DELETE FROM page WHERE document = ?", arguments: [id])
    try db.execute(
      sql: "INSERT INTO page SELECT * FROM pendingPage WHERE document = ?", arguments: [id])
  }
}
