import DurableIO
import FilePackages
import SystemPackage
import TestSupport
import Testing

@Suite("Publishing that failed half way", .tags(.crash, .scale))
struct PublishedInPartTests {
  private static let tree: TestTree = ["Data.bin": "data", "Text.txt": "old", "Images": ["1.png": "one"]]
  private static let place: FilePath = "/Trip.pkg/Data.bin"

  /// Writes the file that is published first, as another program does.
  private static func writeTheirs(on disk: any Disk) throws {
    let folder = try disk.openDirectory(at: CrashCheck.path)
    try disk.makeFile("theirs.tmp", Array("theirs".utf8), in: folder)
    try disk.rename("theirs.tmp", in: folder, to: "Data.bin", in: folder, .replace)
  }

  /// A file that another program writes over the published part is not this store's, regardless of the publishing
  /// store.
  @Test(arguments: [false, true])
  func `leaves alone what another program writes before the rest is published`(byAnother: Bool) async throws {
    // Another program's file over a published one came later, and stays (P6).
    let base = try await CrashCheck.disk(Self.tree, metadata: true)
    let switchable = FaultyDisk(base)
    let store = try await PackageStore.open(CrashCheck.path, on: switchable.disk)
    try await store.edit([.put("Data.bin", "ours"), .put("Text.txt", "ours")])
    switchable.fail(.operation(.exchange, from: 1), with: .ioError)
    #expect(try await !store.save().isPublished)
    #expect(switchable.stopFailing() > 0)
    #expect(try base.contents(of: Self.place) == Array("ours".utf8))
    if byAnother { try await PackageStore.open(CrashCheck.path, on: base).close() }
    try Self.writeTheirs(on: base)
    try await store.publish()
    #expect(try base.contents(of: "/Trip.pkg/Text.txt") == Array("ours".utf8))
    try await store.put("Data.bin", "ours again")
    let error = await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(error?.code == .changedOnDisk && error?.child == "Data.bin")
    #expect(try base.contents(of: Self.place) == Array("theirs".utf8))
  }

  /// The publisher sets aside the file from the first exchange, and then the next exchange or a sync fails.
  ///
  /// The failing sync is that of the folders for conflict versions, of the folder that holds the file, or of the package.
  @Test(arguments: [
    FaultyDisk.Fault.operation(.exchange, from: 1), .operation(.synchronize, from: 4),
    .operation(.synchronize, from: 5), .operation(.synchronize, from: 6),
  ])
  func `keeps what another program wrote before it over any power cut`(fault: FaultyDisk.Fault) async throws {
    // The content is durable among the conflict versions before the next step (P8).
    let base = try await CrashCheck.disk(Self.tree, metadata: true)
    let switchable = FaultyDisk(base)
    let store = try await PackageStore.open(CrashCheck.path, on: switchable.disk)
    try await store.save([.put("Data.bin", "ours"), .put("Text.txt", "ours")], options: .returnsAtCommit)
    try Self.writeTheirs(on: base)
    base.synchronizeAll()
    let points = try await CrashDisk.crashPoints(of: base) {
      switchable.fail(fault, with: .ioError)
      await #expect(throws: FilePackageError.self) { try await store.publish() }
      #expect(switchable.stopFailing() > 0)
      try await store.publish()
    }
    try await store.close()
    var (kept, lost) = (0, [String]())
    var seen: Set<PackagePicture> = []
    for state in points.flatMap({ $0.states(limit: 24) }) + base.crashStates(limit: 24) {
      let mounted = state.mount()
      guard seen.insert(try PackagePicture(of: CrashCheck.path, on: mounted)).inserted else { continue }
      _ = try await PackageStore.open(CrashCheck.path, on: mounted)
      let holders = try PackagePicture(of: CrashCheck.path, on: mounted).entries
        .filter { $0.value.bytes == Array("theirs".utf8) }.keys
      let isKept = holders.contains { $0.hasPrefix(".docpkg/conflicts/") }
      kept += isKept ? 1 : 0
      if !isKept && !holders.contains("Data.bin") { lost.append("\(state)\nfound: \(holders.sorted())") }
    }
    #expect(kept > 0)
    #expect(lost.isEmpty, "\(lost.count) states: \(lost.prefix(2).joined(separator: "\n\n"))")
  }

  @Test func `takes metadata of another form for its own`() async throws {
    // Another version of the library wrote them.
    let save = try await WaitingSave(Self.tree, metadata: true, [.put("Text.txt", "new")])
    let plist = try save.afterPublishing().contents(of: "/Trip.pkg/Metadata.plist")
    let other = Array(String(decoding: plist, as: UTF8.self).replacing("\t<key>", with: "  <key>").utf8)
    var rewritten = 0
    for point in save.points {
      let disk = point.afterKill()
      guard try PackageStore.recoveryReport(WaitingSave.path, on: disk).log == .waiting else { continue }
      for folder in [WaitingSave.path, WaitingSave.hidden.appending("tmp")] {
        for name in try disk.names(in: folder)
        where (try? disk.contents(of: folder.appending(name))) == plist {
          try disk.damage(FileName(name), in: folder) { $0 = other }
          rewritten += 1
        }
      }
      let store = try await WaitingSave.open(on: disk)
      let report = try await store.verify()
      #expect(report.isAsSaved, "\(point): \(report)")
      #expect(await store.recoveryConflicts == [], "\(point)")
      #expect(throws: SystemError.self, "\(point)") {
        _ = try disk.openDirectory(at: WaitingSave.hidden.appending("conflicts"))
      }
    }
    #expect(rewritten > 5)
  }
}
