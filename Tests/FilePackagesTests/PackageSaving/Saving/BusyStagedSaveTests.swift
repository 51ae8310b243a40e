import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A save beside another one of the same name")
struct BusyStagedSaveTests {
  private static let path: FilePath = "/Note.txt"

  private static func expectBusy(_ body: () async throws -> Void) async {
    let error = await #expect(throws: FilePackageError.self) { try await body() }
    #expect(error?.code == .busy)
    #expect(
      error?.description.contains("Try again after it has finished.") == true, "\(error?.description ?? "")")
    #expect(error?.description.contains("the changes") == false, "\(error?.description ?? "")")
  }

  @Test(arguments: [true, false])
  func `of a single file is busy, and leaves the other one alone`(isTold: Bool) async throws {
    // The other store finds the lock of the staged file, and an error of the disk is no lock (HS1).
    let disk = try CrashDisk(["Note.txt": "old"])
    let (gate, faulty) = (FaultyDisk(disk), FaultyDisk(disk))
    let slow = try FlatFileStore.open(Self.path, on: gate.disk)
    let other = try FlatFileStore.open(Self.path, on: faulty.disk)
    gate.close(for: .write)
    async let saving = slow.save(FileWrapper("slow"))
    await gate.arrival()
    if isTold {
      await Self.expectBusy { try await other.save(FileWrapper("other")) }
    } else {
      faulty.fail(.operation(.lock), with: .ioError)
      await expect(\FilePackageError.code, .inputOutput) { try await other.save(FileWrapper("other")) }
    }
    gate.open()
    _ = try await saving
    #expect(try disk.contents(of: "Note.txt", in: disk.openDirectory(at: "/")) == Array("slow".utf8))
    #expect(try disk.names(in: "/") == ["Note.txt"])
  }

  @Test func `of a new package is busy, and leaves the other one alone`() async throws {
    let disk = try CrashDisk()
    let gate = FaultyDisk(disk)
    let tree: @Sendable (String) -> FileWrapper = { text in
      FileWrapper(directoryWithFileWrappers: ["Text.txt": FileWrapper(text)])
    }
    gate.close(for: .write)
    async let creating = BlockingThread().run {
      try await PackageStore.create(tree("slow"), CrashCheck.path, contentType: nil, on: gate.disk)
    }
    await gate.arrival()
    await Self.expectBusy {
      _ = try await PackageStore.create(tree("other"), CrashCheck.path, contentType: nil, on: disk)
    }
    gate.open()
    _ = try await creating
    #expect(try disk.names(in: "/") == ["Trip.pkg"])
    #expect(
      try disk.contents(of: "Text.txt", in: disk.openDirectory(at: CrashCheck.path)) == Array("slow".utf8))
  }

  @Test func `of a single file never loses an edit that another program makes at the last moment`()
    async throws
  {
    // The exchange is taken back, since another file comes out of it (SP4).
    let base = try CrashDisk(["Note.txt": "old"])
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.operation == .exchange else { return }
      // The expectations below find errors of the other program's change.
      try? OutsideEditTests.write("theirs", to: "Note.txt", in: "/", on: base)
    }
    let store = try FlatFileStore.open(Self.path, on: disk)
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save(FileWrapper("mine")) }
    #expect(try base.contents(of: "Note.txt", in: base.openDirectory(at: "/")) == Array("theirs".utf8))
    #expect(try base.names(in: "/") == ["Note.txt"])
  }

  @Test func `of a single file that was taken back does not come back after a power cut`() async throws {
    // The exchange and its taking back are durable before the refused state goes (SP4).
    let base = try CrashDisk(["Note.txt": "old"])
    let exchanges = Mutex(0)
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.operation == .exchange else { return }
      let isFirst = exchanges.withLock { count in
        count += 1
        return count == 1
      }
      if !isFirst { return }
      try? OutsideEditTests.write("theirs", to: "Note.txt", in: "/", on: base)
      base.synchronizeAll()
    }
    let store = try FlatFileStore.open(Self.path, on: disk)
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save(FileWrapper("mine")) }
    #expect(exchanges.withLock { $0 } == 2)
    for state in base.crashStates() {
      let mounted = state.mount()
      let found = try mounted.contents(of: "Note.txt", in: mounted.openDirectory(at: "/"))
      #expect(found == Array("theirs".utf8), "\(state)")
    }
  }

  @Test func `of a new file never replaces one that another program makes at the last moment`() throws {
    // Without a rename that replaces nothing, the new file gets its name by a link.
    let base = try CrashDisk([:], options: with(.init()) { $0.supportsNoReplace = false })
    let disk = CountingDisk(base) { (event) throws(SystemError) in
      guard event.operation == .link || event.rule == .replace else { return }
      // The expectations below find errors of the other program's change.
      try? OutsideEditTests.write("theirs", to: "Note.txt", in: "/", on: base)
    }
    expect(\FilePackageError.code, .fileExists) {
      try FlatFileStore.create(FileWrapper("mine"), Self.path, on: disk)
    }
    #expect(try base.contents(of: "Note.txt", in: base.openDirectory(at: "/")) == Array("theirs".utf8))
    #expect(try base.names(in: "/") == ["Note.txt"])
  }

  @Test(arguments: [Errno.noSpace, .ioError])
  func `whose disk fails leaves the old file and nothing beside it, or the new one`(code: Errno) async throws
  {
    // After an error the old state is in its place, and nothing is beside it (SP5).
    var (number, failures) = (0, 1)
    while failures > 0 {
      let disk = try CrashDisk(["Note.txt": "old"])
      let faulty = FaultyDisk(disk)
      let store = try FlatFileStore.open(Self.path, on: faulty.disk)
      faulty.fail(.request(number), with: code)
      var (report, error): (SaveReport?, FilePackageError?)
      do {
        report = try await store.save(FileWrapper("new"))
      } catch let failed {
        error = failed
      }
      failures = faulty.stopFailing()
      let text = try disk.contents(of: "Note.txt", in: disk.openDirectory(at: "/"))
      #expect(text == Array((error == nil ? "new" : "old").utf8), "request \(number)")
      let leavesFile = report?.warnings.contains { $0.kind == .leftover } == true
      #expect(try leavesFile || disk.names(in: "/") == ["Note.txt"], "request \(number)")
      number += 1
    }
    #expect(number > 10)
  }
}
