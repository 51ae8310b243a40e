import Documents
import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Autosave")
struct AutosaveTests {
  private static let policy = AutosavePolicy(
    quietPeriod: .seconds(2), ceiling: .seconds(10), firstRetry: .seconds(4), longestRetry: .seconds(30))

  private func document(
    on disk: any Disk, _ clock: ManualClock, _ change: (inout DocumentOptions<Pages>) -> Void = { _ in }
  ) async throws -> Document<Pages> {
    try await Trip.create(Pages(["a.txt": "0"]), on: disk) { options in
      options.autosave = Self.policy
      options.clock = clock
      change(&options)
    }
  }

  @Test func `waits for a while of quiet`() async throws {
    let (disk, clock) = (try CrashDisk(), ManualClock())
    let document = try await document(on: disk, clock)
    try await document.edit { $0["a.txt"] = "1" }
    #expect(await clock.nextDeadline().offset == .seconds(2))
    clock.advance(by: .seconds(1))
    try await document.edit { $0["a.txt"] = "2" }
    clock.advance(by: .seconds(1))
    // The autosave wakes up and finds a later edit.
    #expect(await clock.nextDeadline().offset == .seconds(3))
    #expect(await document.hasUnsavedChanges)
    let saved = Task { await document.states(until: .normal, after: .progressAvailable) }
    clock.advance(by: .seconds(1))
    #expect(await saved.value)
    try await document.synchronize()
    #expect(try disk.text("a.txt", in: Trip.path) == "2")
    #expect(await !document.hasUnsavedChanges)
  }

  @Test func `waits no longer than the ceiling while the user keeps typing`() async throws {
    let (disk, clock) = (try CrashDisk(), ManualClock())
    let document = try await document(on: disk, clock)
    let saved = Task { await document.states(until: .normal, after: .progressAvailable) }
    for second in 0..<10 {
      try await document.edit("Typing") { $0["a.txt"] = "\(second)" }
      #expect(await clock.nextDeadline().offset <= .seconds(10))
      #expect(await document.hasUnsavedChanges)
      clock.advance(by: .seconds(1))
    }
    #expect(await saved.value)
    #expect(await !document.hasUnsavedChanges)
  }

  @Test func `follows the token of an older moment, which leaves the document unsaved`() async throws {
    let (disk, clock) = (CountingDisk(try CrashDisk()), ManualClock())
    let document = try await document(on: disk, clock)
    let token = await document.changeCountToken(for: .forOverwriting)
    try await document.edit { $0["a.txt"] = "1" }
    try await document.save()
    clock.advance(by: .seconds(2))
    await document.updateChangeCount(withToken: token, for: .forOverwriting)
    #expect(await document.hasUnsavedChanges)
    let saved = Task { await document.states(until: .normal, after: .progressAvailable) }
    while await clock.nextDeadline().offset < .seconds(4) { await Task.yield() }
    clock.advance(by: .seconds(2))
    #expect(await saved.value)
    #expect(await !document.hasUnsavedChanges)
  }

  @Test func `that fails is tried again, later each time, and keeps a recovery copy`() async throws {
    let (disk, clock) = (FaultyDisk(try CrashDisk()), ManualClock())
    let errors = Mutex<[DocumentError]>([])
    let document = try await document(on: disk.disk, clock) { options in
      options.errorHandler = { error in errors.withLock { $0.append(error) } }
    }
    disk.fail(.changes(from: 0), with: .noSpace)
    try await document.edit { $0["a.txt"] = "1" }
    var times: [Duration] = []
    for _ in 0..<6 {
      let next = await clock.nextDeadline().offset
      times.append(next)
      clock.advance(by: next - clock.now.offset)
      // The attempt is over when the autosave waits again.
      while await clock.nextDeadline().offset <= next { await Task.yield() }
    }
    #expect(times == [2, 6, 14, 30, 60, 90].map { .seconds($0) })
    #expect(await document.documentState == .savingError)
    #expect(errors.withLock { $0.contains { $0.fileError?.code == .noSpace } })
    disk.stopFailing()
    let saved = Task { await document.states(until: .normal, after: .savingError) }
    clock.advance(by: .seconds(30))
    #expect(await saved.value)
    try await document.close()
    #expect(try disk.disk.text("a.txt", in: Trip.path) == "1")
  }

  @Test func `is left to the next edit when what was edited is undone`() async throws {
    let (disk, clock) = (CountingDisk(try CrashDisk()), ManualClock())
    let document = try await document(on: disk, clock)
    try await document.edit { $0["a.txt"] = "1" }
    await clock.nextDeadline()
    try await document.undo()
    let before = disk.counts
    clock.advance(by: .seconds(100))
    await document.performAsynchronousFileAccess {}
    #expect(disk.counts == before)
    try await document.edit { $0["a.txt"] = "2" }
    #expect(await clock.nextDeadline().offset == .seconds(102))
  }

  @Test func `keeps a document alive that nobody holds any more`() async throws {
    let (disk, clock) = (try CrashDisk(), ManualClock())
    try await {
      let document = try await document(on: disk, clock)
      try await document.edit { $0["a.txt"] = "last words" }
    }()
    await clock.nextDeadline()
    clock.advance(by: .seconds(2))
    // The store closes only after its document, which has saved by then; until that moment it may be busy.
    try await withDeadline("an autosave of a document that nobody holds") {
      while (try? await Trip.open(on: disk).content["a.txt"]) != "last words" { await Task.yield() }
    }
  }

  @Test func `waits for nothing when the document is closed`() async throws {
    let (disk, clock) = (try CrashDisk(), ManualClock())
    let document = try await document(on: disk, clock)
    try await document.edit { $0["a.txt"] = "1" }
    await clock.nextDeadline()
    try await document.close()
    #expect(try disk.text("a.txt", in: Trip.path) == "1")
  }
}

extension Document {
  /// Listens until the state is `last` after it was `first`; false if the document ends before that.
  func states(until last: DocumentState, after first: DocumentState) async -> Bool {
    var wasFirst = false
    for await state in stateChanges {
      if state.contains(first) { wasFirst = true }
      if wasFirst && state == last { return true }
    }
    return false
  }
}
