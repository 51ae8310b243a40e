import Documents
import DurableIO
import FilePackages
import FoundationEssentials
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
}
