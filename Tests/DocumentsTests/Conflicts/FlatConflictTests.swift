import Documents
import DurableIO
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A conflict of a flat file")
struct FlatConflictTests {
  private typealias Note = DocumentFixture<Plain>

  /// A document with edits here and a change by another program.
  private static func inConflict() async throws -> (disk: CrashDisk, document: Document<Plain>) {
    let disk = try CrashDisk()
    let document = try await Note.create(Plain("base"), on: disk)
    try disk.overwrite("Trip.pages", "theirs", in: "/")
    try await document.edit { $0.text = "ours" }
    #expect(try await document.checkForExternalChanges() == .conflict)
    #expect(await document.documentState.contains(.inConflict))
    return (disk, document)
  }

  enum Decision: String, CaseIterable, Sendable { case ours, theirs, both }

  @Test(arguments: Decision.allCases)
  func `is resolved as the resolver decides`(_ decision: Decision) async throws {
    let (disk, document) = try await Self.inConflict()
    let versions = try await document.conflictVersions()
    #expect(versions.count == 1 && versions[0].origin == .otherProgram && versions[0].isWhole)
    let resolver = ConflictResolver<Plain> { conflict in
      #expect(conflict.present == Plain("ours") && conflict.versions.map(\.content) == [Plain("theirs")])
      return switch decision {
      case .ours: .keepPresent
      case .theirs: .keep(conflict.versions[0].version)
      case .both: .merged(Plain("ours+theirs"))
      }
    }
    #expect(try await document.resolveConflicts(with: resolver))
    #expect(await document.documentState == .normal)
    #expect(try await document.conflictVersions().isEmpty)
    let text = decision == .both ? "ours+theirs" : decision.rawValue
    #expect(try await document.content == Plain(text))
    #expect(try disk.text("Trip.pages", in: "/") == text)
    try await document.close()
    let again = try await Note.open(on: disk)
    #expect(await again.documentState == .normal)
    #expect(try await again.content == Plain(text))
    #expect(await again.recoveryCopies.isEmpty)
  }

  @Test func `stays while the resolver decides nothing`() async throws {
    let (disk, document) = try await Self.inConflict()
    #expect(try await !document.resolveConflicts(with: ConflictResolver<Plain> { _ in .undecided }))
    #expect(await document.documentState.contains(.inConflict))
    try await document.close()
    let again = try await Note.open(on: disk)
    #expect(await again.documentState.contains(.inConflict))
    #expect(try await again.resolveConflicts(with: ConflictResolver<Plain> { _ in .keepPresent }))
    #expect(await again.documentState == .normal)
    #expect(try disk.text("Trip.pages", in: "/") == "ours")
  }

  @Test func `is a copy of a synchronising program, too`() async throws {
    let disk = try CrashDisk()
    try await Note.create(Plain("ours"), on: disk).close()
    let copy: FileName = "Trip.sync-conflict-20261121-101112-ABCDEFG.pages"
    try disk.makeFile(copy, Array("theirs".utf8), in: disk.openDirectory(at: "/"))
    try disk.makeFile("Trip 2.pages", Array("another note".utf8), in: disk.openDirectory(at: "/"))
    let document = try await Note.open(on: disk)
    #expect(await document.documentState.contains(.inConflict))
    #expect(try await document.conflictVersions().count == 1)
    #expect(try await document.resolveConflicts(with: ConflictResolver { .keep($0.versions[0].version) }))
    #expect(await document.documentState == .normal)
    #expect(try await document.content == Plain("theirs"))
    #expect(try !disk.holds(copy, in: "/") && disk.holds("Trip 2.pages", in: "/"))
  }

  @Test func `is not decided for a version that is gone meanwhile`() async throws {
    let (disk, document) = try await Self.inConflict()
    let shown = try await document.conflictVersions()
    let copy = try #require(try ConflictCopy.all(of: Note.url, on: disk).first).name
    let root = try disk.openDirectory(at: "/")
    let other: FileName = "Trip.sync-conflict-20261121-101112-ABCDEFG.pages"
    try disk.rename(copy, in: root, to: other, in: root, .noReplace)
    await expect(\DocumentError.fileError?.code, .noSuchVersion) {
      try await document.resolveConflicts(with: ConflictResolver<Plain> { _ in .keep(shown[0]) })
    }
    #expect(try disk.text(other, in: "/") == "theirs")
    #expect(try await document.content == Plain("ours"))
  }

  @Test func `stays if its copy changes while the resolver decides`() async throws {
    let (disk, document) = try await Self.inConflict()
    let copy = try #require(try ConflictCopy.all(of: Note.url, on: disk).first).name
    let resolver = ConflictResolver<Plain> { _ in
      try disk.overwrite(copy, "later", in: "/")
      return .keepPresent
    }
    #expect(try await document.resolveConflicts(with: resolver))
    #expect(await document.documentState.contains(.inConflict))
    #expect(try disk.text(copy, in: "/") == "later")
  }

  @Test func `stays if its copy changed since its versions were listed`() async throws {
    let (disk, document) = try await Self.inConflict()
    let shown = try await document.conflictVersions()
    let copy = try #require(try ConflictCopy.all(of: Note.url, on: disk).first).name
    #expect(copy.string.hasPrefix("Trip (conflicted copy ") && copy.string.hasSuffix(").pages"))
    try disk.overwrite(copy, "later", in: "/")
    try await document.removeConflictVersions(shown)
    #expect(await document.documentState.contains(.inConflict))
    #expect(try disk.text(copy, in: "/") == "later")
    try await document.removeConflictVersions(document.conflictVersions())
    #expect(await document.documentState == .normal)
  }

  @Test func `tells once that the decision could not be saved`() async throws {
    let disk = FaultyDisk(try CrashDisk())
    let errors = Mutex<[DocumentError]>([])
    let document = try await Note.create(Plain("base"), on: disk.disk, recoveryDisk: CrashDisk()) {
      $0.errorHandler = { error in errors.withLock { $0.append(error) } }
    }
    try disk.disk.overwrite("Trip.pages", "theirs", in: "/")
    try await document.edit { $0.text = "ours" }
    try await document.save()
    let resolver = ConflictResolver<Plain> { conflict in
      disk.fail(.changes(from: 0), with: .noSpace)
      return .merged(Plain("both"))
    }
    await expect(\DocumentError.fileError?.code, .noSpace) {
      try await document.resolveConflicts(with: resolver)
    }
    #expect(errors.withLock { $0.count } == 1)
  }

  @Test func `does not arise when its file is moved`() async throws {
    let disk = try CrashDisk()
    let document = try await Note.create(Plain("one"), on: disk)
    let folder = try disk.openDirectory(at: "/")
    try disk.rename("Trip.pages", in: folder, to: "Moved.pages", in: folder, .replace)
    await document.presentedItemDidMove(to: URL(filePath: "/Moved.pages"))
    #expect(try await document.checkForExternalChanges() == .nothing)
    // As many bytes: the save compares them.
    try await document.edit { $0.text = "two" }
    try await document.save()
    #expect(try disk.text("Moved.pages", in: "/") == "two")
    #expect(try !disk.holds("Trip.pages", in: "/"))
    try await document.close()
  }

  @Test func `has a copy of each state, also without recovery copies`() async throws {
    let disk = try CrashDisk()
    let document = Document<Plain>(
      fileURL: Note.url, content: Plain("base"), options: .quiet(nil), on: .test(disk))
    try await document.save(to: Note.url, for: .forCreating)
    for text in ["first", "second"] {
      try await document.edit { $0.text = "ours beside \(text)" }
      try disk.overwrite("Trip.pages", text, in: "/")
      try await document.save()
      #expect(try disk.text("Trip.pages", in: "/") == "ours beside \(text)")
    }
    let copies = try ConflictCopy.all(of: Note.url, on: disk)
    #expect(try Set(copies.map { try disk.text($0.name, in: "/") }) == ["first", "second"])
  }
}
