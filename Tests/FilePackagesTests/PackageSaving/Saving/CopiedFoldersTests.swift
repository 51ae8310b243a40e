import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A copy of a folder with documents in it", .temporaryDirectory)
struct CopiedFoldersTests {
  /// Makes the folder `Library` with the document `A/Trip.pkg`, which has a version in its history.
  private func library(in scratch: Scratch) async throws -> PackageStore {
    try scratch.make("Library", ["list.txt": "list", "A": [:]])
    let path = scratch.path("Library/A/Trip.pkg")
    try await (["Text.txt": "old"] as TestTree).create(path, on: scratch.disk)
    let store = try await PackageStore.open(path, on: scratch.disk)
    try await store.save("Text.txt", "new", options: .keepsHistory)
    return store
  }

  /// Saves as a program does that is killed before it publishes the save.
  private func commit(_ text: String, in scratch: Scratch) async throws {
    let store = try await PackageStore.open(scratch.path("Library/A/Trip.pkg"), on: scratch.disk)
    #expect(try await store.save("Text.txt", text, options: .returnsAtCommit).isPublished == false)
  }

  private func copy(in scratch: Scratch, withHistory: Bool = false) async throws -> SaveReport {
    let store = try await PackageStore.open(scratch.path("Library"), on: scratch.disk)
    return try await store.copy(to: scratch.url("Copy"), withHistory: withHistory, progress: ByteProgress())
  }

  private func copied(_ scratch: Scratch) async throws -> PackageStore {
    try await PackageStore.open(scratch.path("Copy/A/Trip.pkg"), on: scratch.disk)
  }

  @Test func `has no history of theirs, and says so`() async throws {
    try await library(in: scratch).close()
    let report = try await copy(in: scratch)
    #expect(report.leftOut == ["A/Trip.pkg/.docpkg"])
    #expect(report.description.contains("left out: A/Trip.pkg/.docpkg"))
    #expect(try scratch.tree("Copy")["A"]?["Trip.pkg"]?[".docpkg"] == nil)
    let document = try await copied(scratch)
    #expect(try await document.verify().isWhole)
    #expect(try await document.keepsHistory() == false)
  }

  @Test func `has their histories, without the files of open stores, if it is told to`() async throws {
    let open = try await library(in: scratch)
    #expect(try await copy(in: scratch, withHistory: true).leftOut.isEmpty)
    let hidden = try #require(try scratch.tree("Copy")["A"]?["Trip.pkg"]?[".docpkg"])
    #expect(Set(hidden.entries.keys).isDisjoint(with: ["lock", "tmp"]))
    // The log of the copy has no bytes of children, present or earlier.
    guard case .file(let log, _)? = hidden["log"] else { throw CocoaError(.fileReadNoSuchFile) }
    #expect(log.count == 4096 * 2)
    let document = try await copied(scratch)
    #expect(try await document.verify().isWhole)
    #expect(try await document.versions().count == 1)
    #expect(try await document.metadata()?.identifier == open.metadata()?.identifier)
    try await open.close()
  }

  @Test(arguments: [false, true])
  func `has a document as it was last saved, also before other programs see the save`(
    withHistory: Bool
  ) async throws {
    try await library(in: scratch).close()
    try await commit("newest", in: scratch)
    #expect(try scratch.tree("Library")["A"]?["Trip.pkg"]?["Text.txt"] == "new")
    _ = try await copy(in: scratch, withHistory: withHistory)
    #expect(try scratch.tree("Copy")["A"]?["Trip.pkg"]?["Text.txt"] == "newest")
    #expect(try await copied(scratch).verify().isWhole)
  }

  @Test func `has no leftovers of killed saves`() async throws {
    let leftover = NewPlace.hiddenName(of: "Trip.pkg")
    try scratch.make("Library", ["A": [leftover: ["Secret.txt": "secret"], "a": "1"]])
    #expect(try await copy(in: scratch).leftOut == ["A/\(leftover.string)"])
    #expect(try scratch.tree("Copy") == ["A": ["a": "1"]])
  }
}
