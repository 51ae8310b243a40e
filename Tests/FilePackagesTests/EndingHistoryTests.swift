import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Ending a history")
struct EndingHistoryTests {
  /// Makes a document of four versions.
  private static func disk(metadata: Bool = true) async throws -> CrashDisk {
    let disk = try await CrashCheck.disk(["Text.txt": "0", "F": ["a": "a"]], metadata: metadata)
    for number in 1...4 { try await save("\(number)", on: disk) }
    return disk
  }

  private static func save(
    _ text: String, to path: FilePath = CrashCheck.path, on disk: any Disk,
    _ options: PackageStore.SavingOptions = .keepsHistory
  ) async throws {
    let store = try await PackageStore.open(path, on: disk)
    try await store.put("Text.txt", text)
    try await store.save(options: options)
    try await store.close()
  }

  @Test func `says how many versions the close removed after a thinning that failed`() async throws {
    let faulty = FaultyDisk(try await Self.disk())
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    var policy = try #require(try await store.retentionPolicy())
    policy.byteBudget = 1
    try await store.setRetentionPolicy(policy)
    faulty.fail(.operation(.read), with: .ioError)
    let failure = await #expect(throws: FilePackageError.self) { try await store.thinHistory() }
    faulty.stopFailing()
    let left = await store.close(after: try #require(failure))
    #expect(try await PackageStore.open(CrashCheck.path, on: faulty.disk).versions().count == 1)
    #expect(left.description.contains("3 versions were removed"), "\(left)")
  }
}
