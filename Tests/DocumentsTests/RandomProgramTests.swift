import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// Random edits, undos, saves, edits by another program, failures of the disk and power cuts: no edit is ever lost, that
/// is, in neither the content, the document on disk, a conflict version nor a recovery copy.
@Suite("A document under random programs")
struct RandomProgramTests {
  @Test func `loses no edit`() async throws {
    var total = Tally()
    for seed in UInt64(0)..<40 {
      var program = try await RandomProgram(seed: seed)
      for _ in 0..<40 { try await program.step() }
      try await program.finish()
      total.add(program.tally)
      #expect(program.lost.isEmpty, "seed \(seed): \(program.lost.joined(separator: "\n"))")
    }
    print("random programs: 40 runs, \(total)")
    // The programs did what they are for.
    #expect(total.edits > 300 && total.saves > 50 && total.failures > 30 && total.crashes > 30)
    #expect(total.othersEdits > 100 && total.conflicts > 10 && total.recoveries > 0)
  }

  /// Without keeping what other programs wrote, the check finds the loss.
  @Test func `is found out when an edit is lost`() async throws {
    var program = try await RandomProgram(seed: 0)
    for _ in 0..<10 { try await program.step() }
    program.pretendEdit()
    try await program.check("pretending")
    #expect(!program.lost.isEmpty)
  }

  struct Tally: CustomStringConvertible {
    var edits = 0, undos = 0, saves = 0, othersEdits = 0, failures = 0, crashes = 0, conflicts = 0,
      recoveries = 0

    mutating func add(_ other: Tally) {
      edits += other.edits
      undos += other.undos
      saves += other.saves
      othersEdits += other.othersEdits
      failures += other.failures
      crashes += other.crashes
      conflicts += other.conflicts
      recoveries += other.recoveries
    }

    var description: String {
      "\(edits) edits, \(undos) undos and redos, \(saves) saves, \(othersEdits) edits of other programs, "
        + "\(failures) failures, \(crashes) power cuts, \(conflicts) conflicts, \(recoveries) recoveries"
    }
  }
}

/// One random program, and the edits that somebody would miss. Each edit writes a text that no other one writes.
private struct RandomProgram {
  var random: SeededGenerator
  var base: CrashDisk
  var disk: SwitchableDisk
  var document: Document<Pages>
  /// The texts that nobody has replaced, undone or discarded.
  var alive: Set<String> = []
  /// Those that another program has replaced, which going back to them does not make anybody's again.
  var replaced: Set<String> = []
  /// Those that a power cut must leave.
  var safe: Set<String> = []
  var number = 0
  var log: [String] = []
  var lost: [String] = []
  var tally = RandomProgramTests.Tally()

  typealias Trip = Desk<Pages>

  init(seed: UInt64) async throws {
    random = SeededGenerator(seed: seed)
    base = try CrashDisk()
    disk = SwitchableDisk(base)
    document = try await Trip.create(Pages(["a.txt": "begin"]), on: disk.disk) { $0.merge = Pages.merge }
    alive = ["begin"]
    safe = alive
  }

  mutating func pretendEdit() { alive.insert("never written") }

  // MARK: Steps

  mutating func step() async throws {
    let action = Int.random(in: 0..<100, using: &random)
    switch action {
    case ..<30: try await edit()
    case ..<40: try await undoOrRedo()
    case ..<55: try await save()
    case ..<68: try await othersEdit()
    case ..<76: await attempt("check") { _ = try await $0.checkForExternalChanges() }
    case ..<86: try await fail()
    case ..<90: try await close()
    case ..<94: try await revert()
    default: try await crash()
    }
    if await document.documentState.contains(.inConflict) { tally.conflicts += 1 }
    try await check(log.last ?? "")
  }

  mutating func finish() async throws {
    try await close()
    try await check("the end")
  }

  private var page: String { ["a.txt", "b.txt", "c.txt"][number % 3] }

  private mutating func text(_ kind: String) -> String {
    number += Int.random(in: 1...2, using: &random)
    return "\(kind)\(number)"
  }

  private mutating func edit() async throws {
    let before = try await texts
    let text = text("edit ")
    if Int.random(in: 0..<6, using: &random) == 0 {
      log.append("remove \(page)")
      let page = page
      try await document.edit { $0[page] = nil }
    } else {
      log.append("\(page) = \(text)")
      let page = page
      try await document.edit { $0[page] = text }
      alive.insert(text)
    }
    alive.subtract(before.subtracting(try await texts))
    tally.edits += 1
  }

  private mutating func undoOrRedo() async throws {
    let before = try await texts
    log.append("undo or redo")
    if Bool.random(using: &random) { try await document.undo() } else { try await document.redo() }
    let after = try await texts
    alive.subtract(before.subtracting(after))
    alive.formUnion(after.subtracting(before).subtracting(replaced))
    tally.undos += 1
  }

  private mutating func save() async throws {
    await attempt("save") { _ = try await $0.save() }
    tally.saves += 1
  }

  private mutating func othersEdit() async throws {
    let text = text("other ")
    let name = FileName(page)
    log.append("other program: \(page) = \(text)")
    if try base.holds(name, in: Trip.path) { replaced.insert(try base.text(name, in: Trip.path)) }
    alive.subtract(replaced)
    try base.replace(name, text, in: Trip.path)
    let folder = try base.openDirectory(at: Trip.path)
    try base.synchronize(base.openFile(name, in: folder))
    try base.synchronize(folder)
    alive.insert(text)
    safe.insert(text)
    tally.othersEdits += 1
  }

  /// A save or a look at the disk during which requests fail.
  private mutating func fail() async throws {
    let first = Int.random(in: 0..<70, using: &random)
    let faults: [FaultyDisk.Fault] = [.request(first), .requests(from: first), .changes(from: first)]
    let codes: [Errno] = [.noSpace, .ioError, .readOnlyFileSystem, .permissionDenied]
    disk.fail(
      faults[Int.random(in: 0..<faults.count, using: &random)],
      with: codes[Int.random(in: 0..<codes.count, using: &random)])
    var isKept = false
    if Bool.random(using: &random) {
      isKept = await attempt("save, failing from \(first)") { _ = try await $0.save() }?.recoveryCopy != nil
    } else {
      await attempt("check, failing from \(first)") { _ = try await $0.checkForExternalChanges() }
    }
    if disk.stopFailing() > 0 { tally.failures += 1 }
    // The program ends, with edits that are in the recovery copy only.
    if isKept, Bool.random(using: &random) {
      log.append("quit")
      try await document.close(discardingChanges: true)
      try await reopen()
    }
  }

  private mutating func revert() async throws {
    let before = try await texts
    await attempt("revert") { try await $0.revert(toContentsOf: Trip.url) }
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
    document = try await Trip.open(on: disk.disk) { $0.merge = Pages.merge }
    try await takeInRecoveryCopies()
  }

  /// The power goes, most often during a save.
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
    // What is only in memory goes with the power.
    alive.formIntersection(before)
    base = state.mount()
    disk = SwitchableDisk(base)
    document = try await Trip.open(on: disk.disk) { $0.merge = Pages.merge }
    safe = alive
    try await takeInRecoveryCopies()
    tally.crashes += 1
  }

  private mutating func takeInRecoveryCopies() async throws {
    for copy in await document.recoveryCopies where copy.kind == .edits {
      let before = try await texts
      try await document.recover(copy)
      // They go over what is there; what others wrote there is kept.
      alive.subtract(before.subtracting(try await texts).intersection(safe))
      tally.recoveries += 1
      log.append("recovered \(try await texts)")
    }
  }

  /// Calls something that may fail; what a save acknowledged is safe.
  @discardableResult
  private mutating func attempt(
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

  private var texts: Set<String> {
    get async throws { Set(try await document.content.pages.values) }
  }

  /// Everything that somebody would miss is somewhere.
  mutating func check(_ what: String) async throws {
    var found = Set<String>()
    if await document.isOpen { found = try await texts }
    let tree = base.tree
    for (name, child) in tree["Trip.pages"]?.entries ?? [:] where name != ".docpkg" {
      child.collect(into: &found)
    }
    tree["Trip.pages"]?[".docpkg"]?["conflicts"]?.collect(into: &found)
    // What was to be kept, and could not be moved there yet: the next save does it, and closing leaves nothing here.
    tree["Trip.pages"]?[".docpkg"]?["tmp"]?.collect(into: &found)
    tree["Recovery"]?.collect(into: &found)
    let missing = alive.subtracting(found)
    if !missing.isEmpty {
      lost.append("after \(what): \(missing.sorted())\n\(log.suffix(20).joined(separator: "\n"))")
      alive.subtract(missing)
    }
  }
}

extension TestTree {
  fileprivate func collect(into texts: inout Set<String>) {
    switch self {
    case .file(let bytes, _): texts.insert(String(decoding: bytes, as: UTF8.self))
    case .directory(let entries): for child in entries.values { child.collect(into: &texts) }
    default: break
    }
  }
}
