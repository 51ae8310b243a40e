import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A child that a save took out of the package while somebody holds it", .tags(.crash))
struct RemovedChildrenTests {
  private static let tree: TestTree = ["a": "a", "b": "b", "F": ["c": "c", "G": ["d": "d"]]]

  private static func removed(on disk: CrashDisk) throws -> Int {
    try disk.names(in: "/Trip.pkg/.docpkg/tmp").count { FileName($0).isHeld }
  }

  @Test(arguments: [PackageStore.SavingOptions(), .returnsAtCommit], [true, false])
  func `can be read and put back`(options: PackageStore.SavingOptions, metadata: Bool) async throws {
    // A removed node stays while the program holds its wrapper (S5).
    let (disk, store) = try await CrashCheck.store(Self.tree, metadata: metadata)
    let top = await store.tree
    let children = try ["a", "b", "F"].map { try #require(top.fileWrappers?[$0]) }
    let before = try NaturalPicture(of: CrashCheck.path, on: disk).withoutChance
    for _ in 0..<3 {
      for child in children { top.removeFileWrapper(child) }
      // Another file takes the name of one child meanwhile.
      top.addRegularFile(withContents: Data("other".utf8), preferredFilename: "b")
      try await store.save(options: options)
      try await store.publish()
      #expect(children[0].text == "a" && children[1].text == "b")
      #expect(children[2].fileWrappers?["G"]?.fileWrappers?["d"]?.text == "d")
      try top.removeFileWrapper(#require(top.fileWrappers?["b"]))
      for child in children { top.addFileWrapper(child) }
      #expect(try await store.save(options: options).removed.isEmpty)
    }
    try await store.close()
    #expect(try NaturalPicture(of: CrashCheck.path, on: disk).withoutChance == before)
    try expectNoTraces(in: CrashCheck.path, on: disk)
    #expect(try disk.names(in: CrashCheck.path).contains(".docpkg") == metadata)
  }

  @Test(arguments: [[], .keepsHistory] as [PackageStore.SavingOptions], [true, false])
  func `keeps its content beside those that are taken out later`(
    options: PackageStore.SavingOptions, areFolders: Bool
  ) async throws {
    let names = ["a", "b", "c"]
    let folders: TestTree = ["a": ["x": "a"], "b": ["x": "b"], "c": ["x": "c"]]
    let (_, store) = try await CrashCheck.store(areFolders ? folders : ["a": "a", "b": "b", "c": "c"])
    let top = await store.tree
    let held = try names.map { try #require(top.fileWrappers?[$0]) }
    func texts() -> [String?] { held.map { (areFolders ? $0.fileWrappers?["x"] : $0)?.text } }
    for child in held.prefix(2) {
      top.removeFileWrapper(child)
      try await store.save(options: options)
    }
    top.addFileWrapper(held[0])
    try await store.save(options: options)
    top.removeFileWrapper(held[2])
    try await store.save(options: options)
    #expect(texts() == names)
  }

  @Test func `can be read and put back after a moment without room`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let faulty = FaultyDisk(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    let top = await store.tree
    let held = try #require(top.fileWrappers?["F"])
    try await store.put("b", "1")
    try await store.save()
    top.removeFileWrapper(held)
    try await store.put("b", "other")
    faulty.fail(.operation(.makeDirectory), with: .noSpace)
    try await store.save()
    #expect(faulty.stopFailing() == 1)
    #expect(top.fileWrappers?["b"]?.text == "other")
    try await store.put("b", "2")
    try await store.save()
    #expect(held.fileWrappers?["G"]?.fileWrappers?["d"]?.text == "d")
    top.addFileWrapper(held)
    try await store.saveAndClose()
    #expect(try disk.contents(of: "/Trip.pkg/F/G/d") == Array("d".utf8))
    try expectNoTraces(in: CrashCheck.path, on: disk)
  }

  @Test func `refuses no save for ever if there is never room for it`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let faulty = FaultyDisk(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: faulty.disk)
    let top = await store.tree
    let held = try #require(top.fileWrappers?["F"])
    try await store.put("b", "1")
    try await store.save()
    top.removeFileWrapper(held)
    faulty.fail(.operation(.makeDirectory), with: .noSpace)
    try await store.save()
    try await store.put("b", "2")
    try await store.save()
    faulty.stopFailing()
    try await store.close()
    #expect(try disk.contents(of: "/Trip.pkg/b") == Array("2".utf8))
    withExtendedLifetime(held) {}
  }

  @Test func `takes no room once nobody holds it`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    let top = await store.tree
    var held = top.fileWrappers?["a"]
    try top.removeFileWrapper(#require(held))
    try await store.save([.remove("F")])
    #expect(try Self.removed(on: disk) == 1)
    held = nil
    try await store.save("b", "1")
    try await store.save("b", "2")
    #expect(try Self.removed(on: disk) == 0)
  }

  @Test(arguments: [true, false])
  func `stays while another program opens, saves and closes the package`(metadata: Bool) async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree, metadata: metadata)
    let top = await store.tree
    let held = try #require(top.fileWrappers?["F"])
    top.removeFileWrapper(held)
    try await store.save()
    for text in ["1", "2"] {
      try await CrashCheck.save("b", text, on: disk)
    }
    #expect(held.fileWrappers?["G"]?.fileWrappers?["d"]?.text == "d")
    try await store.close()
    try expectNoTraces(in: CrashCheck.path, on: disk)
  }

  @Test func `is removed by whoever comes after a program that was killed`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    let held = try #require(await store.tree.fileWrappers?["F"])
    await store.tree.removeFileWrapper(held)
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await store.save()
      disk.promise("saved")
    }
    let killed = try #require(points.last).afterKill()
    #expect(try Self.removed(on: killed) == 1)
    try await CrashCheck.save("b", "next", on: killed)
    #expect(try namesBesideLog(in: CrashCheck.path, on: killed) == [])
  }

  @Test func `leaves the old package or the new one when the power goes`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    disk.synchronizeAll()
    let store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: 24 << 10)
    let top = await store.tree
    let held = try ["a", "F"].map { try #require(top.fileWrappers?[$0]) }
    var models = [try NaturalPicture(of: CrashCheck.path, on: disk)]
    let points = try await CrashDisk.crashPoints(of: disk) {
      for isIn in [false, true, false] {
        for child in held {
          if isIn { top.addFileWrapper(child) } else { top.removeFileWrapper(child) }
        }
        try await store.save()
        disk.promise("saved")
        models.append(try NaturalPicture(of: CrashCheck.path, on: disk))
      }
      try await store.close()
    }
    var check = LogCrashCheck()
    for point in points {
      for state in point.states(limit: 8) {
        try await check.check(state.mount(), models, promised: point.promises.count) { "\(point)\n\(state)" }
      }
    }
    #expect(check.states > 100)
    #expect(check.bad.isEmpty, "\(check.bad.prefix(3).joined(separator: "\n\n"))")
  }
}
