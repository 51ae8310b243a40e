import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Accepting a document as it is")
struct AcceptingRepairTests {
  /// Makes a document with a history: `Text.txt` was `0`, `1`, `2`, `3`.
  private static func disk(keepsHistory: Bool = true) async throws -> CrashDisk {
    let (disk, store) = try await CrashCheck.store([
      "Text.txt": "0", "Other.txt": "other", "Images": ["1.png": "one", "2.png": "two"],
    ])
    for text in ["1", "2", "3"] {
      try await store.save("Text.txt", text, options: keepsHistory ? .keepsHistory : [])
    }
    try await store.close()
    return disk
  }

  /// Returns the text of each version, the newest first, and its lost children.
  private static func versions(_ store: PackageStore) async throws -> [(text: String?, lost: [String])] {
    var found: [(String?, [String])] = []
    for version in try await store.versions() {
      let (tree, lost) = try await store.contents(of: version.persistentIdentifier)
      found.append((try tree.regularFile(at: "Text.txt").text, lost))
    }
    return found
  }

  @Test func `does nothing to one that is whole`() async throws {
    let disk = try await Self.disk()
    let before = try PackagePicture(of: CrashCheck.path, on: disk)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let report = try await store.repair(accepting: true)
    #expect(report.remaining.isWhole && report.accepted == [] && report.versions == nil)
    try await store.close()
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)
    #expect(try await store.versions().count == 3)
  }

  @Test func `leaves every version, which says what nobody has any more`() async throws {
    let disk = try await Self.disk()
    try disk.edit("Other.txt", "theirs")
    try disk.removeFile("2.png", in: disk.openDirectory(at: "/Trip.pkg/Images"))
    let folder = try disk.openDirectory(at: "/Trip.pkg")
    try disk.write(Array("new".utf8), to: disk.createFile("New.txt", in: folder, mode: 0o644), at: 0)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let metadata = try #require(try await store.metadata())

    let before = try PackagePicture(of: CrashCheck.path, on: disk)
    let dry = try await store.repair(accepting: true, dryRun: true)
    #expect(dry.versions == 3)
    #expect(dry.accepted == ["Images/2.png", "New.txt", "Other.txt"])
    #expect(dry.description.contains("3 versions of the history would stay"))
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)

    let report = try await store.repair(accepting: true)
    #expect(report.remaining.isWhole)
    #expect(report.accepted == dry.accepted)
    #expect(report.versions == 4)
    try await store.close()
    let again = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await again.metadata()?.generation == metadata.generation + 1)
    #expect(try await again.metadata()?.parentRevisions == [metadata.revision])
    #expect(try await again.verify().isWhole)
    let versions = try await Self.versions(again)
    let lost = ["Images/2.png", "Other.txt"]
    #expect(versions.map(\.text) == ["3", "2", "1", "0"])
    #expect(versions.map(\.lost) == [lost, lost, lost, lost])
    let first = try #require(try await again.versions().first).persistentIdentifier
    #expect(try await again.contents(of: first).tree.descendant(at: "New.txt") == nil)
    // Later saves still keep the versions.
    _ = try await again.undoSave()
    #expect(try await again.versions().count == 5)
    #expect(try await again.verify().isWhole)
  }

  @Test func `begins no history where none is kept`() async throws {
    let disk = try await Self.disk(keepsHistory: false)
    try disk.edit("Other.txt", "theirs")
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    let report = try await store.repair(accepting: true)
    #expect(report.remaining.isWhole && report.accepted == ["Other.txt"] && report.versions == nil)
    #expect(try await !store.keepsHistory())
  }

  @Test(arguments: [13, 5])
  func `is refused where a child cannot be read`(errno: Int32) async throws {
    let disk = try await Self.disk()
    try disk.edit("Other.txt", "theirs")
    let before = try PackagePicture(of: CrashCheck.path, on: disk)
    // The errors are a missing permission and a failing device.
    let faulty = CountingDisk(disk) { event throws(SystemError) in
      if event.operation == .openFile, event.name == "1.png" {
        throw SystemError("openat", event.name, code: .init(rawValue: errno))
      }
    }
    let store = try await PackageStore.open(CrashCheck.path, on: faulty)
    let verified = try await store.verify()
    #expect(!verified.isWhole && verified.missing == [])
    #expect(verified.damaged == (errno == 13 ? [] : ["Images/1.png"]) && verified.changed == ["Other.txt"])
    #expect(verified.unreadable.map(\.path) == (errno == 13 ? ["Images/1.png"] : []))
    #expect(
      verified.description.contains("could not be read: Images/1.png (permission denied)") == (errno == 13))
    for dryRun in [true, false] {
      let error = await #expect(throws: FilePackageError.self) {
        _ = try await store.repair(accepting: true, dryRun: dryRun)
      }
      #expect(error?.code == (errno == 13 ? .permissionDenied : .inputOutput))
      #expect(error?.child == "Images/1.png")
      #expect(error?.description.contains("cannot be accepted") == true, "\(error?.description ?? "")")
    }
    try await store.close()
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)
  }

  @Test func `says of a folder that cannot be listed nothing of what is in it`() async throws {
    let disk = try await Self.disk()
    let faulty = CountingDisk(disk) { event throws(SystemError) in
      if event.operation == .openDirectory, event.name == "Images" {
        throw SystemError("openat", event.name, code: .permissionDenied)
      }
    }
    let verified = try await PackageStore.open(CrashCheck.path, on: faulty).verify()
    #expect(verified.unreadable.map(\.path) == ["Images"])
    #expect(verified.unreadable.map(\.reason) == ["permission denied"])
    #expect(
      verified.damaged == [] && verified.missing == [] && verified.extra == [] && !verified.isUnexplained)
    #expect(!verified.isWhole)
  }
}
