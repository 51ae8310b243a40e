import DurableIO
import FilePackages
import FoundationEssentials
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

  @Test func `of a single file is busy, and leaves the other one alone`() async throws {
    let disk = try CrashDisk(["Note.txt": "old"])
    let gate = FaultyDisk(disk)
    let slow = try FlatFileStore.open(Self.path, on: gate.disk)
    let other = try FlatFileStore.open(Self.path, on: disk)
    gate.close(for: .write)
    async let saving = slow.save(FileWrapper("slow"))
    await gate.arrival()
    await Self.expectBusy { try await other.save(FileWrapper("other")) }
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
}
