import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A record whose sync fails", .tags(.crash))
struct FailingLogTests {
  /// Returns the text on disk and those of the versions, the newest first; nil for a lost one.
  private static func texts(on disk: any Disk) async throws -> [String?] {
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    return [try await store.tree.regularFile(at: "Text.txt").text] + (try await store.versionTexts())
  }

  @Test func `is in a new log instead`() async throws {
    // A log whose sync failed gives way to a new one (S2).
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    let faulty = FaultyDisk(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    try await store.save("Text.txt", "1", options: .keepsHistory)
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await store.put("Text.txt", "2")
      faulty.fail(.operation(.synchronizeData), with: .ioError)
      try await store.save(options: .keepsHistory)
      #expect(faulty.stopFailing() == 1)
      disk.promise("saved")
    }
    var sweep = CrashSweep()
    try await sweep.check(points, limit: 32) { disk, point in
      let texts = try await Self.texts(on: disk)
      let isRight = texts == ["2", "1", "0"] || texts == ["1", "0"] && point.promises.isEmpty
      return isRight ? nil : "\(texts)"
    }
    sweep.expectNoneBad(moreThan: 5)
    try await store.saveAndClose(options: .keepsHistory)
    #expect(try await Self.texts(on: disk) == ["2", "1", "0"])
  }

  @Test func `is not there after a save that failed at any request`() async throws {
    for number in 0..<200 {
      let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
      let faulty = FaultyDisk(disk)
      let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
      try await store.save("Text.txt", "1", options: .keepsHistory)
      try await store.publish()
      try await store.put("Text.txt", "2")
      faulty.fail(.requests(from: number), with: .ioError)
      var failure: FilePackageError?
      do throws(FilePackageError) {
        _ = try await store.save(options: [.keepsHistory, .returnsAtCommit])
      } catch {
        failure = error
      }
      if faulty.stopFailing() == 0 { break }
      // An edit stays in memory, and the next save has it.
      try await store.saveAndClose(options: .keepsHistory)
      let texts = try await Self.texts(on: disk)
      #expect(texts == ["2", "1", "0"], "\(number): \(failure.map { "\($0)" } ?? "saved")")
    }
  }
}
