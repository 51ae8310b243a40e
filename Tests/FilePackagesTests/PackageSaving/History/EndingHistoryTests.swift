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
    _ text: String, to path: FilePath = CrashCheck.path, on disk: any Disk
  ) async throws {
    try await CrashCheck.save("Text.txt", text, options: .keepsHistory, to: path, on: disk)
  }

  @Test func `lasts, for later saves and for copies, until one begins again`() async throws {
    let disk = try await Self.disk()
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let before = try PackagePicture(of: CrashCheck.path, on: disk)
    #expect(try await store.stopKeepingHistory(dryRun: true).removed.count == 4)
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)
    let report = try await store.stopKeepingHistory()
    #expect("\(report)".hasPrefix("4 versions removed (") && "\(report)".hasSuffix(", 0 left"))
    #expect(try await store.metadata()?.keepsNoHistory == true)
    try await store.copy(to: URL(filePath: "/Copy.pkg"))
    try await store.close()
    for path in [CrashCheck.path, "/Copy.pkg"] as [FilePath] {
      try await Self.save("5", to: path, on: disk)
      let later = try await PackageStore.open(path, on: disk)
      #expect(try await later.metadata()?.keepsNoHistory == true)
      #expect(try await !later.keepsHistory())
      #expect(try await later.verify().isWhole)
      // A second call has nothing to do.
      let generation = try await later.metadata()?.generation
      #expect(try await later.stopKeepingHistory().removed == [])
      #expect(try await later.metadata()?.generation == generation)
      #expect(try await later.startKeepingHistory().begins)
      #expect(try await later.metadata()?.keepsNoHistory == false)
      try await later.close()
      try await Self.save("6", to: path, on: disk)
      #expect(try await PackageStore.open(path, on: disk).versions().count == 1)
    }
  }

  @Test func `is for a document that has none yet, and leaves unsaved edits alone`() async throws {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "0"])
    try await store.put("Text.txt", "1")
    await expect(\FilePackageError.code, .unsavedEdits) { try await store.stopKeepingHistory() }
    try await store.save()
    try await store.stopKeepingHistory()
    try await store.close()
    try await Self.save("2", on: disk)
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).versions().isEmpty)
    // Another value of the key belongs to the application.
    let metadata = PackageMetadata(applicationValues: ["KeepsHistory": .string("always")])
    let read = try PackageMetadata(decoding: metadata.encoded())
    #expect(!read.keepsNoHistory && read.applicationValues == metadata.applicationValues)
  }

  @Test func `says how many versions it removed if the mark cannot be saved`() async throws {
    let faulty = FaultyDisk(try await Self.disk())
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    // The first write is that of the log without versions, the second one that of the mark's record.
    faulty.fail(.operation(.write, from: 1), with: .noSpace)
    let error = await #expect(throws: FilePackageError.self) { try await store.stopKeepingHistory() }
    faulty.stopFailing()
    let text = error?.description ?? ""
    #expect(text.contains("4 versions were removed"), "\(text)")
    #expect(!text.contains("The document on disk is unchanged"), "\(text)")
    #expect(try await store.versions().isEmpty)
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

  @Test func `takes a new policy over with the thinning under it, or not at all`() async throws {
    let faulty = FaultyDisk(try await Self.disk())
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    let before = try #require(try await store.retentionPolicy())
    let policy = with(before) { $0.byteBudget = 1 }
    faulty.fail(.operation(.rename), with: .ioError)
    await #expect(throws: FilePackageError.self) { try await store.thinHistory(under: policy) }
    faulty.stopFailing()
    #expect(try await store.retentionPolicy() == before)
    #expect(try await store.versions().count == 4)
    #expect(try await store.thinHistory(under: policy).removed.count == 3)
    #expect(try await store.retentionPolicy() == policy)
    // A policy that drops nothing is taken over, too.
    #expect(try await store.thinHistory(under: before).removed.isEmpty)
    #expect(try await store.retentionPolicy() == before)
  }
}
