import Documents
import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A version that arrives while others are decided")
struct ArrivingConflictTests {
  enum Arrival: CaseIterable {
    /// A program wrote into the document during a save.
    case setAside
    /// A synchronising program brings a version of a third computer.
    case copy
    /// A synchronising program brings another file of a version that was seen.
    case rest
  }

  enum Choice: CaseIterable { case present, version, merged }

  private static let late = "late, and seen by nobody"
  private static let path = ConflictTests.first

  /// Makes a document with a version from another computer, of which only some files have come.
  private static func conflict(on disk: CrashDisk) async throws {
    _ = try await ConflictTests.apart(
      ["a.txt": "one\n", "b.txt": "b"], first: ["a.txt": "ours"], second: ["a.txt": "theirs"], on: disk)
    // The other computer's log does not come, and this one's is lost.
    let hidden = try disk.openDirectory(at: path.appending(".docpkg"))
    let names = try disk.list(hidden)
    for position in 0..<names.count where names.name(at: position).string.contains("sync-conflict") {
      try disk.removeFile(names.name(at: position), in: hidden)
    }
    try disk.removeFile("log", in: hidden)
    let folder = try disk.openDirectory(at: path.appending(".docpkg"))
    try disk.makeDirectory("conflicts", in: folder, mode: 0o755)
    let conflicts = try disk.openDirectory("conflicts", in: folder)
    try disk.makeDirectory("11111111-1111-1111-1111-111111111111", in: conflicts, mode: 0o755)
    try disk.makeFile(
      "a.txt", Array("set aside".utf8),
      in: disk.openDirectory("11111111-1111-1111-1111-111111111111", in: conflicts))
  }

  private static func arrive(_ arrival: Arrival, on disk: CrashDisk) throws {
    let package = try disk.openDirectory(at: path)
    switch arrival {
    case .setAside:
      let folder = try disk.openDirectory(
        at: path.appending(".docpkg/conflicts/11111111-1111-1111-1111-111111111111"))
      try disk.makeFile("b.txt", Array(late.utf8), in: folder)
    case .copy:
      try disk.makeFile("b.sync-conflict-20270101-101112-THIRDPC.txt", Array(late.utf8), in: package)
    case .rest:
      let names = try disk.list(package)
      let seen = (0..<names.count).map { names.name(at: $0).string }
      let plist = try #require(seen.first { $0.hasPrefix("Metadata.sync-conflict") })
      let name = plist.replacing("Metadata", with: "b").replacing("plist", with: "txt")
      try disk.makeFile(FileName(name), Array(late.utf8), in: package)
    }
  }

  private static func lateVersions(_ store: PackageStore) async throws -> [ConflictVersion] {
    var found: [ConflictVersion] = []
    for version in try await store.conflictVersions() {
      let texts = try ConflictTests.texts(await store.contents(ofConflict: version.id))
      if texts.values.contains(late) { found.append(version) }
    }
    return found
  }

  private static func decide(
    _ conflict: DocumentConflict<Pages>, _ choice: Choice, _ arrive: () throws -> Void
  ) throws -> ConflictOutcome<Pages> {
    let set = try #require(conflict.versions.first { $0.content["a.txt"] == "set aside" })
    try arrive()
    switch choice {
    case .present: return .keepPresent
    case .version:
      // The other version has all its files.
      let other = conflict.versions.first { $0.version.id != set.version.id }
      return .keep(try #require(other).version)
    case .merged:
      var merged = conflict.present
      merged["a.txt"] = "merged"
      return .merged(merged)
    }
  }

  @Test(arguments: Arrival.allCases, Choice.allCases)
  func `stays, and the document stays in conflict`(arrival: Arrival, choice: Choice) async throws {
    // A decision removes only files that its versions had when they were listed (R3).
    if arrival == .rest && choice == .version { return }
    let disk = try CrashDisk()
    try await Self.conflict(on: disk)
    let warnings = Mutex<[SaveWarning]>([])
    var options = DocumentOptions<Pages>.quiet(nil)
    options.eventHandler = { event in
      if case .saved(let report) = event { warnings.withLock { $0 += report.warnings } }
    }
    let document = Document<Pages>(
      fileURL: URL(filePath: Self.path.string), options: options, on: .test(disk))
    try await document.open()
    #expect(try await document.conflictVersions().count == 2)
    #expect(
      try await document.resolveConflicts(
        with: ConflictResolver { try Self.decide($0, choice) { try Self.arrive(arrival, on: disk) } }))
    #expect(await document.documentState == .inConflict)
    let told = warnings.withLock { $0 }
    #expect(told.map(\.kind) == [.conflictsLeft] && told[0].reason.contains("arrived"), "\(told)")
    try await document.close()
    let store = try await PackageStore.open(Self.path, on: disk)
    let found = try await store.conflictVersions()
    #expect(try await Self.lateVersions(store).count == 1 && found.count == 1, "\(found)")
    // The next decision is about that version.
    try await store.resolveConflicts(found, keeping: nil)
    #expect(try await store.conflictVersions().isEmpty)
    try await store.close()
  }

  @Test func `is no version that a person chose before it had all its files`() async throws {
    let disk = try CrashDisk()
    try await Self.conflict(on: disk)
    let store = try await PackageStore.open(Self.path, on: disk)
    let seen = try await store.conflictVersions()
    let chosen = try #require(seen.first { $0.metadata != nil })
    try Self.arrive(.rest, on: disk)
    await #expect(throws: FilePackageError.self) {
      try await store.resolveConflicts(seen, keeping: chosen.id)
    }
    #expect(try await store.conflictVersions().count == 2)
    #expect(try await Self.lateVersions(store).count == 1)
    try await store.close()
  }

  @Test(arguments: [true, false])
  func `stays when the versions that were seen are removed`(arrives: Bool) async throws {
    let disk = try CrashDisk()
    try await Self.conflict(on: disk)
    let store = try await PackageStore.open(Self.path, on: disk)
    let seen = try await store.conflictVersions()
    if arrives { try Self.arrive(.setAside, on: disk) }
    try await store.removeConflictVersions(seen)
    #expect(try await Self.lateVersions(store).count == (arrives ? 1 : 0))
    // Conflict copies stay in any case.
    #expect(try await store.conflictVersions().count == (arrives ? 2 : 1))
    try await store.close()
  }
}
