import DurableIO
import FilePackages
import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A copy of a package", .temporaryDirectory)
struct CopyTests {
  @Test(arguments: [true, false])
  func `says what was written and what shares its blocks`(clones: Bool) async throws {
    let options = with(CrashDisk.Options()) { $0.supportsClone = clones }
    let tree: TestTree = ["a": "12345", "F": ["b": "678"], "link": .link(Array("a".utf8))]
    let (disk, store) = try await CrashCheck.store(tree, metadata: false, options: options)
    #expect(try await store.copyPlan(to: URL(filePath: "/Copy.pkg")).lines.contains("copy F/b"))
    let report = try await store.copy(to: URL(filePath: "/Copy.pkg"))
    #expect(report.written == (clones ? ["F", "link"] : ["F", "F/b", "a", "link"]))
    #expect(report.bytesWritten == (clones ? 0 : 8))
    #expect(report.reused == (clones ? 2 : 0) && report.bytesReused == (clones ? 8 : 0))
    #expect(disk.tree["Copy.pkg"]?.withoutOurs == tree)
  }

  @Test func `has no FIFO, and says so`() async throws {
    try scratch.make("Trip.pkg", ["a": "1", "F": [:]])
    try makeFIFO(scratch.path("Trip.pkg/F/pipe"))
    let store = try await PackageStore.open(scratch.path("Trip.pkg"), on: scratch.disk)
    #expect(try await store.copyPlan(to: scratch.url("Copy.pkg")).lines.contains("leave out F/pipe"))
    #expect(try await store.copy(to: scratch.url("Copy.pkg")).leftAlone == ["F/pipe"])
    #expect(try scratch.tree("Copy.pkg") == ["a": "1", "F": [:]])
  }

  @Test func `has no program that runs as somebody else`() async throws {
    try scratch.make("Trip.pkg", ["program": .file([1], mode: 0o755)])
    #expect(chmod(scratch.path("Trip.pkg/program").string, 0o6755) == 0)
    let store = try await PackageStore.open(scratch.path("Trip.pkg"), on: scratch.disk)
    try await store.edit([.put("unsaved", "2"), .mode("unsaved", 0o6755)])
    try await store.copy(to: scratch.url("Copy.pkg"))
    for name in ["program", "unsaved"] {
      #expect(try scratch.status("Copy.pkg/\(name)").mode == 0o755, "\(name)")
    }
    #expect(try scratch.status("Trip.pkg/program").mode == 0o6755)
  }

  @Test func `has the attributes of folders, and no folder that hands its group on`() async throws {
    try scratch.make("Trip.pkg", ["F": ["a": "1"]])
    for name in ["Trip.pkg", "Trip.pkg/F"] {
      let folder = try scratch.disk.openDirectory(at: scratch.path(name))
      try scratch.disk.setExtendedAttribute("user.colour", Array(name.utf8), of: folder)
      #expect(chmod(scratch.path(name).string, 0o2775) == 0)
    }
    let store = try await PackageStore.open(scratch.path("Trip.pkg"), on: scratch.disk)
    try await store.copy(to: scratch.url("Copy.pkg"))
    for (name, copy) in [("Trip.pkg", "Copy.pkg"), ("Trip.pkg/F", "Copy.pkg/F")] {
      let folder = try scratch.disk.openDirectory(at: scratch.path(copy))
      let attributes = try scratch.disk.extendedAttributes(of: folder)
      #expect(attributes["user.colour"] == Array(name.utf8), "\(copy)")
      #expect(try scratch.status(copy).mode == 0o775, "\(copy)")
      #expect(try scratch.status(copy).modified == scratch.status(name).modified, "\(copy)")
    }
  }

  @Test(arguments: ["/Trip.pkg/Copy.pkg", "/Trip.pkg/A/B/Copy.pkg", "/Trip.pkg/A/../Copy.pkg"])
  func `is not made within the package itself`(path: String) async throws {
    let base = try CrashDisk(["Trip.pkg": ["a": "1", "A": ["B": [:]]]])
    let disk = CountingDisk(base)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let error = await #expect(throws: FilePackageError.self) { try await store.copy(to: URL(filePath: path)) }
    #expect(error?.code == .unsupported && error?.operation == .copy)
    await #expect(throws: FilePackageError.self) { try await store.copyPlan(to: URL(filePath: path)) }
    #expect(disk.counts.changes == 0)
  }

  // MARK: Many children

  private static var many: TestTree {
    .directory(
      Dictionary(uniqueKeysWithValues: (0..<200).map { (FileName("\($0)"), TestTree.file([UInt8($0)])) }))
  }

  @Test func `synchronises many children while it writes others`() async throws {
    try scratch.make("Trip.pkg", Self.many)
    let threads = Mutex<(creating: Set<UInt>, synchronizing: Set<UInt>)>(([], []))
    let disk = CountingDisk(scratch.disk) { event in
      let thread = UInt(pthread_self())
      threads.withLock { threads in
        if event.operation == .createFile { threads.creating.insert(thread) }
        if event.operation == .synchronize { threads.synchronizing.insert(thread) }
      }
    }
    let store = try await PackageStore.open(scratch.path("Trip.pkg"), on: disk)
    let report = try await store.copy(to: scratch.url("Copy.pkg"))
    // The syncs are one per file, one of the new folder, and one of its parent.
    #expect(report.synchronizations == 202 && disk.counts[.synchronize] == 202)
    let seen = threads.withLock { $0 }
    #expect(seen.creating.count == 1 && !seen.synchronizing.subtracting(seen.creating).isEmpty)
    #expect(try scratch.tree("Copy.pkg") == Self.many)
  }

  @Test func `names a child of many that could not be synchronised, and leaves nothing`() async throws {
    try scratch.make("Trip.pkg", Self.many)
    let count = Mutex(0)
    let disk = CountingDisk(scratch.disk) { (event) throws(SystemError) in
      guard event.operation == .synchronize else { return }
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == 100 { throw SystemError("fsync", code: .ioError) }
    }
    let store = try await PackageStore.open(scratch.path("Trip.pkg"), on: disk)
    let error = await #expect(throws: FilePackageError.self) {
      try await store.copy(to: scratch.url("Copy.pkg"))
    }
    #expect(error?.code == .inputOutput && error?.operation == .copy)
    #expect(error?.child.map { Self.many[FileName($0)] != nil } == true)
    #expect(try scratch.names() == ["Trip.pkg"])
  }

  @Test func `tells how far it is`() async throws {
    try scratch.make("Trip.pkg", ["a": .file([UInt8](repeating: 7, count: 3_000_000)), "b": "12345"])
    let store = try await PackageStore.open(scratch.path("Trip.pkg"), on: scratch.disk)
    let progress = ByteProgress()
    _ = try await store.copy(to: scratch.url("Copy.pkg"), progress: progress)
    #expect(progress.now.total == 3_000_005 && progress.now.completed == 3_000_005)
  }
}
