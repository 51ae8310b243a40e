import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A version that only a journal has", .tags(.crash))
struct FailingJournalTests {
  /// Returns the text on disk and those of the versions, the newest first; nil for a lost one.
  private static func texts(on disk: any Disk) async throws -> [String?] {
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    var texts: [String?] = [try await store.tree.regularFile(at: "Text.txt").text]
    for version in try await store.versions() {
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      texts.append(lost.isEmpty ? try tree.regularFile(at: "Text.txt").text : nil)
    }
    return texts
  }

  @Test func `is durable elsewhere before the journal is given up, or the journal stays`() async throws {
    // Neither the journal nor the history can be synced: the journal stays (H3).
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    let faulty = FaultyDisk(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    try await store.put("Text.txt", "1")
    try await store.save(options: .keepsHistory)
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await store.put("Text.txt", "2")
      faulty.fail(.operation(.synchronizeData), with: .ioError)
      let error = await #expect(throws: FilePackageError.self) {
        try await store.save(options: .keepsHistory)
      }
      #expect(error?.code == .indeterminate)
      #expect(faulty.stopFailing() > 1)
    }
    var count = 0
    for point in points {
      for state in point.states(limit: 32) {
        count += 1
        let texts = try await Self.texts(on: state.mount())
        #expect(texts == ["1", "0"] || texts == ["2", "1", "0"], "\(point)\n\(state)")
      }
    }
    #expect(count > 10)
    try await store.save(options: .keepsHistory)
    try await store.close()
    #expect(try await Self.texts(on: disk) == ["2", "1", "0"])
  }
}
