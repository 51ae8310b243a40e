import Documents
import DurableIO
import FoundationEssentials
import SystemPackage
import TestSupport

/// One random program, and the edits that must not be lost. Each edit writes a text of its own.
struct RandomProgram {
  var random: SeededGenerator
  var base: CrashDisk
  var disk: FaultyDisk
  var document: Document<Pages>
  /// The name that the document has on disk.
  var name: FileName = "Trip.pages"
  /// The texts that no step has replaced, undone, discarded or deleted.
  var alive: Set<String> = []
  /// The texts that another program has replaced; an undo does not make them alive again.
  var replaced: Set<String> = []
  /// The texts that a power cut must leave.
  var safe: Set<String> = []
  /// The texts of the content when it was last the same as on disk.
  var saved: Set<String> = []
  var number = 0
  var log: [String] = []
  var lost: [String] = []
  var tally = Tally()

  /// The steps of a program, with their numbers.
  struct Tally: CustomStringConvertible {
    enum Kind: String, CaseIterable {
      case edit, undo, save, othersEdit, move, deletion, replacement, failure, powerCut, conflict, recovery
    }
    private var counts: [Kind: Int] = [:]

    subscript(_ kind: Kind) -> Int { counts[kind] ?? 0 }
    mutating func count(_ kind: Kind) { counts[kind, default: 0] += 1 }
    mutating func add(_ other: Tally) { counts.merge(other.counts, uniquingKeysWith: +) }

    var description: String { Kind.allCases.map { "\($0) \(self[$0])" }.joined(separator: ", ") }
  }

  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    base = try CrashDisk()
    disk = FaultyDisk(base)
    document = try await Trip.create(Pages(["a.txt": "begin"]), on: disk.disk) { $0.merge = Pages.merge }
    alive = ["begin"]
    safe = alive
  }

  mutating func pretendEdit() { alive.insert("never written") }

  // MARK: Steps

  mutating func step() async throws {
    let action = Int.random(in: 0..<100, using: &random)
    switch action {
    case ..<29: try await edit()
    case ..<38: try await undoOrRedo()
    case ..<51: try await save()
    case ..<62: try await othersEdit()
    case ..<69: await check()
    case ..<80: try await fail()
    case ..<84: try await close()
    case ..<87: try await revert()
    case ..<90: try await move()
    case ..<92: try await delete()
    case ..<94: try await replace()
    default: try await crash()
    }
    if await document.documentState.contains(.inConflict) { tally.count(.conflict) }
    if await document.isOpen, await !document.hasUnsavedChanges { saved = try await texts }
    try await check(log.last ?? "")
    if await !document.isOpen { try await goOnAfterDeletion() }
  }

  mutating func finish() async throws {
    try await close()
    try await check("the end")
  }

  var path: FilePath { FilePath("/").appending(name.string) }
  var url: URL { URL(filePath: path.string, directoryHint: .notDirectory) }
  private var page: String { ["a.txt", "b.txt", "c.txt"][number % 3] }

  private mutating func text(_ kind: String) -> String {
    number += Int.random(in: 1...2, using: &random)
    return "\(kind)\(number)"
  }

  private mutating func edit() async throws {
    let before = try await texts
    let text = text("edit ")
    let page = page
    if Int.random(in: 0..<6, using: &random) == 0 {
      log.append("remove \(page)")
      try await document.edit { $0[page] = nil }
    } else {
      log.append("\(page) = \(text)")
      try await document.edit { $0[page] = text }
      alive.insert(text)
    }
    alive.subtract(before.subtracting(try await texts))
    tally.count(.edit)
  }

  private mutating func undoOrRedo() async throws {
    let before = try await texts
    log.append("undo or redo")
    if Bool.random(using: &random) { try await document.undo() } else { try await document.redo() }
    let after = try await texts
    alive.subtract(before.subtracting(after))
    alive.formUnion(after.subtracting(before).subtracting(replaced))
    // A text that comes back is in memory alone until the next save.
    if await document.hasUnsavedChanges { safe.subtract(after.subtracting(before).subtracting(saved)) }
    tally.count(.undo)
  }

  private mutating func save() async throws {
    await attempt("save") { _ = try await $0.save() }
    tally.count(.save)
  }

  private mutating func check() async {
    await attempt("check") { _ = try await $0.checkForExternalChanges() }
  }

  /// A save or a look at the disk during which requests fail.
  private mutating func fail() async throws {
    let first = Int.random(in: 0..<70, using: &random)
    let operations = DiskOperation.allCases
    let operation = operations[Int.random(in: 0..<operations.count, using: &random)]
    let faults: [FaultyDisk.Fault] = [
      .request(first), .requests(from: first), .changes(from: first), .operation(operation, from: first % 4),
    ]
    let codes: [Errno] = [.noSpace, .ioError, .readOnlyFileSystem, .permissionDenied]
    let fault = faults[Int.random(in: 0..<faults.count, using: &random)]
    disk.fail(fault, with: codes[Int.random(in: 0..<codes.count, using: &random)])
    var isKept = false
    if Bool.random(using: &random) {
      isKept = await attempt("save, failing: \(fault)") { _ = try await $0.save() }?.recoveryCopy != nil
    } else {
      await attempt("check, failing: \(fault)") { _ = try await $0.checkForExternalChanges() }
    }
    if disk.stopFailing() > 0 { tally.count(.failure) }
    // The program ends, with edits in the recovery copy only.
    if isKept, Bool.random(using: &random) {
      log.append("quit")
      try await document.close(discardingChanges: true)
      try await reopen()
    }
  }

  private mutating func revert() async throws {
    let before = try await texts
    await attempt("revert") { [url] in try await $0.revert(toContentsOf: url) }
    alive.subtract(before.subtracting(try await texts))
  }

  private mutating func close() async throws {
    await attempt("close") { try await $0.close() }
    guard await !document.isOpen else { return }
    safe.formUnion(alive)
    try await reopen()
  }

  private mutating func reopen() async throws {
    try await check("closed")
    try await open()
  }

  mutating func open() async throws {
    document = Document<Pages>(
      fileURL: url, options: .quiet(Trip.recovery) { $0.merge = Pages.merge }, on: .test(disk.disk))
    try await document.open()
    try await takeInRecoveryCopies()
  }

  /// Cuts the power, most often during a save.
  private mutating func crash() async throws {
    let before = safe
    let points = await CrashDisk.crashPoints(of: base) {
      _ = try? await document.save()
      _ = try? await document.synchronize()
    }
    let point = points[Int.random(in: 0..<points.count, using: &random)]
    let states = point.states(limit: 8, seed: random.next())
    let state = states[Int.random(in: 0..<states.count, using: &random)]
    log.append("power cut at \(point)")
    // A text in memory alone goes with the power.
    alive.formIntersection(before)
    base = state.mount()
    disk = FaultyDisk(base)
    safe = alive
    try await open()
    tally.count(.powerCut)
  }

  private mutating func takeInRecoveryCopies() async throws {
    for copy in await document.recoveryCopies {
      // The user may leave the copy for the next time.
      if Int.random(in: 0..<4, using: &random) == 0 { continue }
      let before = try await texts
      try await document.recover(copy)
      // The copy's edits go over the document; other programs' texts become a conflict version.
      alive.subtract(before.subtracting(try await texts).intersection(safe))
      tally.count(.recovery)
      log.append("recovered \(try await texts)")
    }
  }

  /// Makes a call that may fail; the texts of an acknowledged save are safe.
  @discardableResult
  mutating func attempt(
    _ what: String, _ body: @Sendable (Document<Pages>) async throws -> Void
  ) async -> DocumentError? {
    do {
      try await body(document)
      log.append(what)
      if await document.isOpen, await !document.hasUnsavedChanges, let texts = try? await texts {
        safe.formUnion(texts)
      }
      return nil
    } catch {
      log.append("\(what): \(error)")
      return error as? DocumentError
    }
  }

  // MARK: Checking

  var texts: Set<String> {
    get async throws { Set(try await document.content.pages.values) }
  }

  /// The texts in recovery copies.
  var recoverable: Set<String> {
    var found = Set<String>()
    base.tree["Recovery"]?.collect(into: &found)
    return found
  }

  /// Checks that every live text is somewhere.
  mutating func check(_ what: String) async throws {
    var found = recoverable
    if await document.isOpen { found.formUnion(try await texts) }
    let package = base.tree[name]
    for (name, child) in package?.entries ?? [:] where name != ".docpkg" { child.collect(into: &found) }
    package?[".docpkg"]?["conflicts"]?.collect(into: &found)
    // A conflict version may wait here for its place. The next save moves it, and closing leaves nothing here.
    package?[".docpkg"]?["tmp"]?.collect(into: &found)
    let missing = alive.subtracting(found)
    if !missing.isEmpty {
      lost.append("after \(what): \(missing.sorted())\n\(log.suffix(20).joined(separator: "\n"))")
      alive.subtract(missing)
    }
  }
}

extension TestTree {
  func collect(into texts: inout Set<String>) {
    switch self {
    case .file(let bytes, _): texts.insert(String(decoding: bytes, as: UTF8.self))
    case .directory(let entries): for child in entries.values { child.collect(into: &texts) }
    default: break
    }
  }
}
