import Foundation
import GRDB
import ManagedDocuments
import SystemPackage
import TestSupport
import Testing

/// Random programs: two to four databases that are edited apart and merged through a head, in any order.
///
/// `RANDOM_MERGES` is the number of programs, `RANDOM_SEED` the first one's seed.
@Suite("Databases that merge through a head")
struct RowMergePropertyTests {
  private static func number(_ name: String, _ otherwise: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap(Int.init) ?? otherwise
  }

  @Test(arguments: 0..<10)
  func `reach the same rows, and lose no value that nobody replaced`(_ part: Int) async throws {
    let (first, count) = (Self.number("RANDOM_SEED", 1), Self.number("RANDOM_MERGES", 300))
    for seed in first..<(first + count) where seed % 10 == part {
      try await withTemporaryDirectory { folder in
        var program = MergeProgram(MergedDatabases(folder: folder), seed: UInt64(seed))
        do {
          try program.run()
        } catch {
          Issue.record(
            "seed \(seed), schema \(program.schema): \(error) after \(program.log.joined(separator: "; "))")
        }
        for difference in program.differences {
          Issue.record(
            "seed \(seed), schema \(program.schema): \(difference); \(program.log.joined(separator: "; "))")
        }
      }
    }
  }
}

@Suite("The random merges")
struct MergeFaultTests {
  @Test func `meet each kind of conflict`() async throws {
    var kinds: Set<RowConflict.Kind> = []
    var isRenumbered = false
    for seed in 1...120 where kinds.count < RowConflict.Kind.allCases.count || !isRenumbered {
      try await withTemporaryDirectory { folder in
        var program = MergeProgram(MergedDatabases(folder: folder), seed: UInt64(seed))
        try program.run()
        kinds.formUnion(program.kinds)
        if program.isRenumbered { isRenumbered = true }
      }
    }
    #expect(kinds == Set(RowConflict.Kind.allCases))
    #expect(isRenumbered)
  }

  @Test(arguments: MergeFault.allCases)
  func `find each fault`(_ fault: MergeFault) async throws {
    var found = 0
    for seed in 1...120 where found < 3 {
      try await withTemporaryDirectory { folder in
        var program = MergeProgram(MergedDatabases(folder: folder), seed: UInt64(seed), fault)
        do {
          try program.run()
          if !program.differences.isEmpty { found += 1 }
        } catch is MergeProblem {
          found += 1
        }
      }
    }
    #expect(found == 3)
  }
}

/// A fault of a merge that the programs must find.
enum MergeFault: CaseIterable {
  /// The base of the next merge is the one of the last merge, or the head itself.
  case staleBase, headAsBase
  /// The databases merge by another policy than they say.
  case ignoredPolicy
  /// A conflict is lost.
  case lostConflict
}

/// One random program, beside a model of the values that were written and replaced.
private struct MergeProgram {
  private let databases: MergedDatabases
  private let fault: MergeFault?
  private var random: SeededGenerator
  let schema: Int
  private let count: Int
  private(set) var log: [String] = []
  private(set) var differences: [String] = []
  /// The values that were ever written, and those that a program replaced that saw them.
  private var written: Set<String> = []
  private var replaced: Set<String> = []
  /// The databases with edits since their last sync.
  private var edited: Set<Int> = []
  private var nextValue = 0
  /// The kinds of the conflicts so far.
  private(set) var kinds: Set<RowConflict.Kind> = []
  /// Whether a row got another key.
  private(set) var isRenumbered = false

  init(_ databases: MergedDatabases, seed: UInt64, _ fault: MergeFault? = nil) {
    (self.databases, self.fault) = (databases, fault)
    random = SeededGenerator(seed: seed)
    schema = Int.random(in: 0..<MergeSchemas.all.count, using: &random)
    count = Int.random(in: 2...4, using: &random)
  }

  private func name(_ replica: Int) -> String { "replica\(replica)" }
  private func base(_ replica: Int) -> String { "base\(replica)" }

  private mutating func expect(_ condition: Bool, _ difference: @autoclosure () -> String) {
    if !condition { differences.append(difference()) }
  }

  mutating func run() throws {
    try databases.make("head", MergeSchemas.all[schema].schema)
    for replica in 0..<count {
      try databases.copy("head", to: name(replica))
      try databases.copy("head", to: base(replica))
    }
    for _ in 0..<Int.random(in: 8...30, using: &random) where differences.isEmpty {
      let replica = Int.random(in: 0..<count, using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6: try edit(replica)
      case 6: try resolve(replica)
      default: try sync(replica)
      }
    }
    for _ in 0..<2 {
      for replica in (0..<count).shuffled(using: &random) where differences.isEmpty { try sync(replica) }
    }
    if differences.isEmpty { try compare() }
  }

  // MARK: Values

  /// The values in the rows of the tables.
  private func values(_ db: Database) throws -> Set<String> {
    var values: Set<String> = []
    for table in MergeSchemas.all[schema].tables {
      for row in try Row.fetchAll(db, sql: "SELECT * FROM \(table)") {
        values.formUnion(Self.values(row.databaseValues))
      }
    }
    return values
  }

  private static func values(_ row: some Sequence<DatabaseValue>) -> Set<String> {
    Set(
      row.compactMap { value in
        let text =
          switch value.storage {
          case .string(let text): text
          case .blob(let data): String(decoding: data, as: UTF8.self)
          default: ""
          }
        return text.lowercased().hasPrefix("v") ? text.lowercased() : nil
      })
  }

  private static func values(_ conflict: RowConflict) -> Set<String> {
    [conflict.base, conflict.ours, conflict.theirs].reduce(into: []) { found, row in
      found.formUnion(values((row ?? [:]).values))
    }
  }

  /// Notes which values a change of a database wrote, and which it replaced.
  private mutating func changing(_ replica: Int, _ body: (Database) throws -> Void) throws {
    let (before, after) = try databases.edit(name(replica)) { db in
      let before = try values(db)
      try body(db)
      return (before, try values(db))
    }
    written.formUnion(after.subtracting(before))
    replaced.formUnion(before.subtracting(after))
    edited.insert(replica)
  }

  // MARK: Steps

  private mutating func edit(_ replica: Int) throws {
    var statements: [String] = []
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      nextValue += 1
      let numbers = (0..<4).map { _ in Int.random(in: 1...5, using: &random) }
      let choices = MergeSchemas.all[schema].statements("v\(nextValue)", numbers)
      statements.append(choices.randomElement(using: &random) ?? "")
    }
    log.append("\(replica): \(statements)")
    try changing(replica) { db in
      for statement in statements {
        do {
          try db.inSavepoint {
            try db.execute(sql: statement)
            return .commit
          }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
          // The program's own constraint.
        }
      }
    }
  }

  private mutating func resolve(_ replica: Int) throws {
    guard let conflict = try databases.conflicts(name(replica)).randomElement(using: &random) else { return }
    let sides: [MergeSide?] = [.ours, .theirs, nil]
    let side = sides.randomElement(using: &random) ?? nil
    log.append("\(replica): resolve \(conflict.table) \(conflict.kind) \(side.map { "\($0)" } ?? "present")")
    do {
      try changing(replica) { db in try ConflictTable.resolve(conflict.id, taking: side, in: db) }
      let present = try databases.edit(name(replica)) { try values($0) }
      replaced.formUnion(Self.values(conflict).subtracting(present))
    } catch is RowConflictError {
      log.append("refused")
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
      log.append("refused")
    }
  }

  private mutating func sync(_ replica: Int) throws {
    let checksUndo = Int.random(in: 0..<4, using: &random) == 0
    let policy = MergePolicy.allCases.randomElement(using: &random) ?? .error
    var used = policy
    if fault == .ignoredPolicy { used = Self.oursWin(policy) ? .rollback : .overwrite }
    let outcome = try databases.merge(
      used, ours: name(replica), theirs: "head", base: fault == .headAsBase ? "head" : base(replica),
      checksUndo: checksUndo)
    log.append("\(replica): sync \(policy), \(outcome.conflicts.count) conflicts, \(outcome.renumbered)")
    kinds.formUnion(outcome.conflicts.map(\.kind))
    if !outcome.renumbered.isEmpty { isRenumbered = true }
    if !edited.contains(replica) {
      expect(outcome.conflicts.isEmpty, "a conflict without an edit: \(outcome.conflicts)")
      expect(
        try databases.digest(name(replica)) == databases.digest("head"),
        "other rows than the head, without an edit")
    }
    for conflict in outcome.conflicts { try check(conflict, policy, replica) }
    try databases.check(name(replica))
    if fault == .lostConflict, let conflict = outcome.conflicts.first {
      try databases.edit(name(replica)) { db in
        try db.execute(sql: "DELETE FROM grdb_conflicts WHERE id = ?", arguments: [conflict.id.uuidString])
      }
    }
    try databases.copy(name(replica), to: "head")
    if fault != .staleBase { try databases.copy("head", to: base(replica)) }
    edited.remove(replica)
  }

  private static func oursWin(_ policy: MergePolicy) -> Bool {
    [.error, .overwrite, .mergeByPropertyObjectTrump].contains(policy)
  }

  /// Checks that the row of a conflict has the values of the winner.
  private mutating func check(_ conflict: RowConflict, _ policy: MergePolicy, _ replica: Int) throws {
    guard conflict.kind == .columns || conflict.kind == .removal else { return }
    let winner = Self.oursWin(policy) ? conflict.ours : conflict.theirs
    let key = conflict.key.sorted { $0.key < $1.key }
    let row = try databases.edit(name(replica)) { db in
      try Row.fetchOne(
        db,
        sql:
          "SELECT * FROM \(conflict.storedTable) WHERE \(key.map { "\($0.key) = ? COLLATE BINARY" }.joined(separator: " AND "))",
        arguments: StatementArguments(key.map(\.value)))
    }
    expect((row == nil) == (winner == nil), "\(conflict) has another outcome than \(policy)")
    guard let row, let winner else { return }
    let isWhole = [.overwrite, .rollback].contains(policy) || conflict.kind != .columns
    for column in isWhole ? conflict.columns : conflict.changedColumns {
      expect(row[column] as DatabaseValue == winner[column], "\(conflict), column \(column), by \(policy)")
    }
  }

  // MARK: The end

  private mutating func compare() throws {
    let head = try databases.digest("head")
    for replica in 0..<count {
      expect(try databases.digest(name(replica)) == head, "database \(replica) has other rows than the head")
      let conflicts = Set(try databases.conflicts(name(replica)))
      expect(
        conflicts == Set(try databases.conflicts("head")),
        "database \(replica) has other conflicts than the head")
    }
    var kept = try databases.edit("head") { try values($0) }
    for conflict in try databases.conflicts("head") { kept.formUnion(Self.values(conflict)) }
    let lost = written.subtracting(replaced).subtracting(kept)
    expect(lost.isEmpty, "lost \(lost.sorted())")
  }
}
