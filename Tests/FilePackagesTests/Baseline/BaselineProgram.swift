import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport

/// The program of a seed, on one package: edits, saves of each kind, undoing, versions, other programs, conflicts, crashes.
///
/// Time and identifiers are the program's own: two runs make the same requests and leave the same bytes.
struct BaselineProgram {
  /// The requests of one step, and its outcome.
  struct Step: Sendable {
    var name: String
    var trace: DiskTrace.Step
    var lines: [String]
  }

  /// The steps of a whole program, and the disk after it.
  struct Outcome: Sendable {
    var steps: [Step]
    /// A digest of all names, modes and bytes on the disk, those in hidden folders included.
    var digest: String
    /// The disk after the end of the program.
    var disk: CrashDisk
  }

  private enum Action: CaseIterable {
    case save, saveAtCommit, saveKeepingHistory, edit, publish, reopen
    case undo, redo, restore, start, stop, thin, look, plan, verify, repair, copy
    case outsideWrite, outsideRemove, otherStore, conflict, resolve, kill, reload
  }

  static let package: FilePath = "/Trip.pkg"
  private static let files = ["Text.txt", "Notes.txt", "Images/1.png", "Images/2.png", "Images/Old/3.png"]

  private let environment: BaselineEnvironment
  private var generator: SeededGenerator
  private let keepsLines: Bool
  /// The requests to the present disk. A killed store may still release descriptors of the disk before.
  private var trace: DiskTrace
  private var base: CrashDisk
  private var disk: any Disk
  private var store: PackageStore
  private var steps: [Step] = []
  private var number = 0

  /// Runs the program of a seed.
  ///
  /// - Parameter keepsLines: whether to have each request in words.
  static func run(seed: UInt64, keepsLines: Bool = false) async throws -> Outcome {
    let environment = BaselineEnvironment(seed: seed)
    return try await Environment.$current.withValue(environment.environment) {
      try await DiskTrace.$isTraced.withValue(true) {
        var program = try await BaselineProgram(seed, environment, keepsLines)
        return try await program.run()
      }
    }
  }

  private init(_ seed: UInt64, _ environment: BaselineEnvironment, _ keepsLines: Bool) async throws {
    self.environment = environment
    self.keepsLines = keepsLines
    trace = DiskTrace(keepsLines: keepsLines)
    generator = SeededGenerator(seed: seed)
    let tree: TestTree = [
      "Text.txt": "text", "Notes.txt": "notes",
      "Images": ["1.png": "one", "2.png": "two", "Old": ["3.png": "three"]],
    ]
    // Of three packages one is another program's, without metadata.
    let isOurs = seed % 3 != 0
    base = try CrashDisk(isOurs ? [:] : ["Trip.pkg": tree])
    disk = CountingDisk(base, before: trace.note)
    if isOurs {
      store = try await PackageStore.create(
        tree.wrapper, Self.package, contentType: UTType(exportedAs: "com.example.trip"), on: disk,
        logCapacity: 64 << 10,
        by: Self.program
      ).store
      base.synchronizeAll()
    } else {
      store = try await PackageStore.open(Self.package, on: disk, logCapacity: 64 << 10)
    }
    await store.setProgram(Self.program)
    note("create")
  }

  private static let program = SavingProgram(name: "baseline", version: "1")

  private mutating func note(_ name: String) {
    let (step, lines) = trace.take()
    steps.append(Step(name: name, trace: step, lines: lines))
  }

  private mutating func run() async throws -> Outcome {
    for _ in 0..<Int.random(in: 8...24, using: &generator) {
      environment.wait(seconds: Int64.random(in: 1...100_000, using: &generator))
      // Saves come most often.
      let action =
        Bool.random(using: &generator)
        ? [.save, .saveAtCommit, .saveKeepingHistory, .edit].randomElement(using: &generator)
        : Action.allCases.randomElement(using: &generator)
      guard let action else { continue }
      var name = "\(action)"
      do {
        try await carryOut(action)
      } catch let error as FilePackageError {
        name += ":\(error.code)"
      }
      note(name)
    }
    do {
      try await store.close()
      note("close")
    } catch {
      note("close:\(error.code)")
    }
    return Outcome(steps: steps, digest: try Self.digest(of: base), disk: base)
  }

  private mutating func carryOut(_ action: Action) async throws {
    switch action {
    case .save:
      try await edit()
      try await store.save()
    case .saveAtCommit:
      try await edit()
      try await store.save(options: .returnsAtCommit)
    case .saveKeepingHistory:
      try await edit()
      try await store.save(options: .keepsHistory)
    case .edit: try await edit()
    case .publish: try await store.publish()
    case .reopen:
      try await store.close()
      try await open()
    case .undo: _ = try await store.undoSave()
    case .redo:
      _ = try await store.undoSave()
      _ = try await store.redoSave()
    case .restore:
      guard let version = try await store.versions().randomElement(using: &generator) else { return }
      _ = try await store.restore(version.persistentIdentifier)
    case .start: _ = try await store.startKeepingHistory()
    case .stop: try await store.stopKeepingHistory()
    case .thin:
      guard var policy = try await store.retentionPolicy() else { return }
      policy.byteBudget = 40
      try await store.setRetentionPolicy(policy)
      _ = try await store.thinHistory()
    case .look:
      _ = try await store.versions()
      _ = try await store.conflictVersions()
      _ = try await store.changesByOthers()
    case .plan:
      _ = try await store.plan()
      _ = try await store.undoPlan()
    case .verify: _ = try await store.verify()
    case .repair: _ = try await store.repair(accepting: true)
    case .copy:
      number += 1
      try await store.copy(to: URL(filePath: "/Copy \(number).pkg"))
    case .outsideWrite: try outsideWrite()
    case .outsideRemove: try outsideRemove()
    case .otherStore: try await saveByOther()
    case .conflict: try makeConflict()
    case .resolve:
      try await store.resolveConflicts(store.conflictVersions(), keeping: store.conflictVersions().first?.id)
    case .kill: try await kill()
    case .reload: try await store.reload { _ in }
    }
  }

  private mutating func open() async throws {
    store = try await PackageStore.open(Self.package, on: disk, logCapacity: 64 << 10)
    await store.setProgram(Self.program)
  }

  // MARK: Edits

  private mutating func text() -> String {
    number += 1
    // Some are staged, since no record holds them.
    let count =
      Int.random(in: 0..<20, using: &generator) == 0 ? 200_000 : Int.random(in: 1...200, using: &generator)
    return String(repeating: "text \(number) ", count: count)
  }

  private mutating func edit() async throws {
    var edits: [Edit] = []
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let path = Self.files.randomElement(using: &generator) ?? ""
      switch Int.random(in: 0..<10, using: &generator) {
      case 0: edits.append(.remove(path))
      case 1: edits.append(.move(path, "Moved \(number).txt"))
      case 2: edits.append(.link("Link", to: "Text.txt"))
      case 3: edits.append(.folder("Folder \(number)"))
      case 4: edits.append(.mode(path, Bool.random(using: &generator) ? 0o600 : 0o755))
      default: edits.append(.put(path, text()))
      }
    }
    for edit in edits {
      // An earlier step may have removed it.
      do { try await store.edit([edit]) } catch let error as FilePackageError where error.code == .noSuchFile
      { continue }
    }
  }

  // MARK: Other programs

  private mutating func outsideWrite() throws {
    let folder = try base.openDirectory(at: Self.package)
    let name: FileName = Bool.random(using: &generator) ? "Text.txt" : "Others.txt"
    try? base.removeFile(name, in: folder)
    try base.makeFile(name, Array(text().utf8.prefix(100)), in: folder)
  }

  private func outsideRemove() throws {
    try? base.removeFile("Notes.txt", in: base.openDirectory(at: Self.package))
  }

  private mutating func saveByOther() async throws {
    // Its lock is held until then.
    try await store.publish()
    let other = try await PackageStore.open(Self.package, on: disk, logCapacity: 64 << 10)
    await other.setProgram(Self.program)
    let text = text()
    try await other.put("Notes.txt", String(text.prefix(50)))
    do {
      try await other.save()
    } catch {
      try? await other.close()
      throw error
    }
    try await other.close()
  }

  /// Copies of the metadata and of a child under the names that Syncthing gives, with another text.
  private mutating func makeConflict() throws {
    let folder = try base.openDirectory(at: Self.package)
    let ending = ".sync-conflict-20261121-101112-ABCDEFG"
    for (stem, type) in [("Text", ".txt"), ("Metadata", ".plist")] {
      guard let bytes = try? base.contents(of: FileName(stem + type), in: folder) else { continue }
      let name = FileName(stem + ending + type)
      try? base.removeFile(name, in: folder)
      try base.makeFile(name, type == ".txt" ? Array(text().utf8.prefix(60)) : bytes, in: folder, mode: 0o644)
    }
  }

  /// The program ends in the middle of whatever it was doing; the next one opens what is there.
  private mutating func kill() async throws {
    let store = store
    let points = await CrashDisk.crashPoints(of: base) { try? await store.publish() }
    guard let point = points.randomElement(using: &generator) else { return }
    base = point.afterKill()
    trace = DiskTrace(keepsLines: keepsLines)
    disk = CountingDisk(base, before: trace.note)
    try await open()
  }

  // MARK: The digest

  static func digest(of disk: CrashDisk) throws -> String {
    var sum = SHA256()
    let picture = try PackagePicture(of: "/", on: disk)
    for (path, entry) in picture.entries.sorted(by: { $0.key < $1.key }) {
      sum.update(Array("\(path) \(entry.kind) \(entry.mode) \(entry.bytes.count)\n".utf8))
      sum.update(entry.bytes)
    }
    return sum.finalize().bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ".")
  }
}
