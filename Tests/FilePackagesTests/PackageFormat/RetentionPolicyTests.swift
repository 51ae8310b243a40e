import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Which versions are kept")
struct RetentionPolicyTests {
  private static let hour = 3600.0

  /// Makes a document with a version of each of these ages, in hours.
  private static func store(_ ages: [Double], on disk: any Disk, now: Date) async throws -> PackageStore {
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    for (number, age) in ages.sorted(by: >).enumerated() {
      await store.setClock { now.addingTimeInterval(-age * hour) }
      try await store.put("Text.txt", String(repeating: "\(number % 10)", count: 1000))
      try await store.save(options: .keepsHistory)
    }
    // The current state is no version.
    await store.setClock { now }
    try await store.save("Text.txt", "now")
    return store
  }

  private static func ages(_ store: PackageStore, now: Date) async throws -> [Double] {
    try await store.versions().map { now.timeIntervalSince($0.modificationDate) / hour }
      .filter { $0 < 5000 }
  }

  @Test func `is all of an hour, one an hour, one a day, one a week`() async throws {
    // The versions that stay have all their files (V1).
    let disk = try await CrashCheck.disk(["Text.txt": "text"], metadata: true)
    // The date is a Thursday at noon: weeks of the clock begin on Thursdays.
    let now = Date(timeIntervalSince1970: 86_400 * 7 * 3000 + 43_200)
    let ages: [Double] = [0.1, 0.2, 0.5, 0.9, 2.1, 2.2, 2.9, 5.5, 30, 31, 32, 60, 960, 984, 1440]
    let store = try await Self.store(ages, on: disk, now: now)
    var model: [UUID: VersionPicture] = [:]
    for version in try await store.versions() {
      model[version.persistentIdentifier] = try await VersionPicture(
        store.contents(of: version.persistentIdentifier).tree)
    }
    var plan = try await store.thinHistory(at: now, dryRun: true)
    #expect(try await store.versions().count == ages.count + 1)
    let report = try await store.thinHistory(at: now)
    plan.isDryRun = false
    #expect(report == plan)
    let found = try await Self.ages(store, now: now)
    let expected: [Double] = [0.1, 0.2, 0.5, 0.9, 2.1, 5.5, 30, 60, 960, 1440]
    #expect(found == expected)
    #expect(report.bytes > 0 && report.remaining == found.count + 1)
    for version in try await store.versions() {
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      #expect(try lost.isEmpty && VersionPicture(tree) == model[version.persistentIdentifier])
    }
    // A second call drops nothing.
    #expect(try await store.thinHistory(at: now).removed.isEmpty)
  }

  @Test func `is no more than the budget, but for the last one`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "text"], metadata: true)
    let now = Date(timeIntervalSince1970: 1_900_000_000)
    let store = try await Self.store([0.1, 0.2, 0.3, 0.4, 0.5, 0.6], on: disk, now: now)
    var policy = RetentionPolicy.standard
    policy.byteBudget = 3500
    try await store.setRetentionPolicy(policy)
    try await store.thinHistory(at: now)
    #expect(try await store.versions().count == 3)
    #expect(try await store.versions().reduce(0) { $0 + $1.keptBytes } == 3000)
    policy.byteBudget = 0
    try await store.setRetentionPolicy(policy)
    try await store.close()
    // Closing the document dropped the versions.
    #expect(try await store.versions().count == 1)
    #expect(try disk.names(in: "/Trip.pkg/.docpkg/kept").count == 1)
    #expect(try await store.retentionPolicy() == policy)
  }

  @Test func `is everything while another program has the document open`() async throws {
    // Another open store keeps the history from being rewritten (V3).
    let disk = try await CrashCheck.disk(["Text.txt": "text"], metadata: true)
    let store = try await Self.store([0.1, 0.2], on: disk, now: Date())
    let other = try await PackageStore.open(CrashCheck.path, on: disk)
    try await other.save("Other.txt", "other")
    let versions = try await store.versions()
    await #expect { try await store.removeVersions([versions[0].persistentIdentifier]) } throws: { error in
      (error as? FilePackageError)?.code == .busy
    }
    #expect(try await store.versions() == versions)
    try await other.close()
    try await store.removeVersions([versions[0].persistentIdentifier])
    #expect(try await store.versions() == Array(versions.dropFirst()))
  }
}
