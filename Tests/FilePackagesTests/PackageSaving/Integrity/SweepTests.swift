import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("What programs that were killed left", .temporaryDirectory)
struct SweepTests {
  private static let tree: TestTree = ["Text.txt": "text"]

  @Test func `goes when another document is made in the folder, and nothing else does`() async throws {
    // The running program holds the lock of its file (HS3).
    try scratch.make(".docpkg-1a2b.new", ["Half.txt": "half"])
    try scratch.make(".docpkg-3c.new", ["Part.txt": "part"])
    try scratch.overwrite(".docpkg-ffffffffffffffff.new", "half an archive")
    // These are the only copy of a package, a file of a running program, and files with other names.
    let left: [FileName] = [
      ".docpkg-1a2b.old", ".docpkg-77.new", ".docpkg-notes.new", ".docpkg-1a2b.new.txt", ".docpkg-.new",
      ".docpkg-12345678901234567.new",
    ]
    for name in left { try scratch.make(name, ["Text.txt": "theirs"]) }
    let folder = try scratch.disk.openDirectory(at: scratch.path)
    let running = try scratch.disk.openDirectory(".docpkg-77.new", in: folder)
    #expect(try scratch.disk.lock(running, .exclusive))
    _ = try await PackageStore.create(Self.tree.wrapper, at: scratch.url("New.pkg"), contentType: nil)
    #expect(try scratch.names() == (left + ["New.pkg"]).sorted())
    withExtendedLifetime(running) {}
  }

  @Test func `is told of by the recovery report, and goes by recovering`() async throws {
    try scratch.make("Plain.rtfd", ["Text.rtf": "rich", ".docpkg": ["lock": "", "tmp": ["1-1-0": "half"]]])
    try scratch.make(".docpkg-1a2b.new", ["Half.txt": "half"])
    let url = scratch.url("Plain.rtfd")
    let expected = ["Plain.rtfd/.docpkg/lock", "Plain.rtfd/.docpkg/tmp", ".docpkg-1a2b.new"]
    #expect(try PackageStore.recoveryReport(at: url).leftovers == expected)
    #expect(try await PackageStore.removeLeftovers(at: url) == expected)
    #expect(try scratch.names() == ["Plain.rtfd"])
    #expect(try scratch.tree("Plain.rtfd") == ["Text.rtf": "rich"])
    #expect(try PackageStore.recoveryReport(at: url).leftovers == [])
  }

  @Test func `is also a hidden folder with nothing in it`() async throws {
    try scratch.make("Plain.rtfd", ["Text.rtf": "rich", ".docpkg": [:]])
    let url = scratch.url("Plain.rtfd")
    #expect(try PackageStore.recoveryReport(at: url).leftovers == ["Plain.rtfd/.docpkg"])
    #expect(try await PackageStore.removeLeftovers(at: url) == ["Plain.rtfd/.docpkg"])
    #expect(try scratch.tree("Plain.rtfd") == ["Text.rtf": "rich"])
    #expect(try PackageStore.recoveryReport(at: url).leftovers == [])
  }

  @Test func `is not what a store that is open uses`() async throws {
    try scratch.make("Plain.rtfd", ["Text.rtf": "rich"])
    let url = scratch.url("Plain.rtfd")
    let store = try await PackageStore.open(at: url)
    try await store.save("Text.rtf", "richer")
    #expect(try PackageStore.recoveryReport(at: url).leftovers == [])
    #expect(try await PackageStore.removeLeftovers(at: url) == [])
    try await store.saveAndClose("Text.rtf", "richest")
    #expect(try scratch.tree("Plain.rtfd") == ["Text.rtf": "richest"])
  }

  /// Each new document sweeps the folder while other programs make theirs.
  @Test func `is never what another program is making at the moment`() async throws {
    // Between its making and its locking, a name is safe by the lock of the folder (HS4).
    try await withThrowingTaskGroup { group in
      for number in 0..<60 {
        group.addTask {
          let url = scratch.url("\(number).pkg")
          let (store, _) = try await PackageStore.create(Self.tree.wrapper, at: url, contentType: nil)
          try await store.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(try scratch.names().count == 60)
  }

  /// The task is cancelled at each request of the disk; some come before the commit and some after.
  @Test func `is nothing of a save whose task is cancelled`() async throws {
    var (moment, wasReached, cancelled) = (0, true, 0)
    while wasReached {
      let disk = try CrashDisk(["Trip.pkg": ["Text.txt": "old", "Notes.txt": "notes"]])
      let reached = Mutex(false)
      let counting = CountingDisk(disk) { [moment] event in
        guard event.number == moment else { return }
        reached.withLock { $0 = true }
        withUnsafeCurrentTask { $0?.cancel() }
      }
      let task = Task {
        let store = try await PackageStore.open("/Trip.pkg", on: counting)
        try await store.put("Text.txt", "new")
        let result = await Result { try await store.save(options: .cancellable) }
        try await store.close()
        return result
      }
      let result = try await task.value
      let text = disk.tree["Trip.pkg"]?["Text.txt"]
      switch result {
      case .success: #expect(text == "new", "moment \(moment)")
      case .failure(let error):
        cancelled += 1
        #expect((error as? FilePackageError)?.code == .cancelled, "\(error)")
        #expect(text == "old", "moment \(moment)")
      }
      try expectNoTraces(in: "/Trip.pkg", on: disk, "moment \(moment)")
      #expect(disk.tree.entries.keys.sorted() == ["Trip.pkg"])
      wasReached = reached.withLock { $0 }
      moment += 1
    }
    #expect(cancelled > 3 && cancelled < moment - 3)
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
