import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("What a store leaves when it is closed or given up")
struct SessionEndTests {
  private static let tree: TestTree = ["Text.txt": "old", "Other.txt": "other"]

  private static func save(_ text: String, on disk: any Disk, closing: Bool) async throws {
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.save("Text.txt", text)
    if closing { try await store.close() }
  }

  @Test(arguments: [true, false])
  func `is the document and no more`(isClosed: Bool) async throws {
    for metadata in [true, false] {
      let disk = try await CrashCheck.disk(Self.tree, metadata: metadata)
      try await Self.save("new", on: disk, closing: isClosed)
      try expectNoTraces(in: CrashCheck.path, on: disk)
      #expect(disk.tree["Trip.pkg"]?["Text.txt"] == "new")
      #expect(disk.openDescriptors == 0)
    }
  }

  @Test func `is no log, whichever of two stores is closed last`() async throws {
    // The first store that closes leaves the hidden folder to the other one (L2).
    for isFirstLast in [true, false] {
      let disk = try await CrashCheck.disk(Self.tree, metadata: true)
      let first = try await PackageStore.open(CrashCheck.path, on: disk)
      let second = try await PackageStore.open(CrashCheck.path, on: disk)
      try await first.save("Text.txt", "first")
      try await second.save("Other.txt", "second")
      try await (isFirstLast ? second : first).close()
      #expect(try disk.names(in: "/Trip.pkg/.docpkg").contains("log"))
      try await (isFirstLast ? first : second).close()
      try expectNoTraces(in: CrashCheck.path, on: disk)
    }
  }

  @Test func `is whatever others keep in the hidden folder`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: false)
    let root = try disk.openDirectory(at: CrashCheck.path)
    try disk.makeDirectory(".docpkg", in: root, mode: 0o755)
    let hidden = try disk.openDirectory(".docpkg", in: root)
    try disk.makeDirectory("conflicts", in: hidden, mode: 0o755)
    try disk.makeFile("kept", Array("kept".utf8), in: disk.openDirectory("conflicts", in: hidden))
    try await Self.save("new", on: disk, closing: true)
    #expect(
      disk.tree["Trip.pkg"]?[".docpkg"] == ["conflicts": ["kept": .file(Array("kept".utf8), mode: 0o600)]])
  }

  @Test func `is a damaged log as it is`() async throws {
    // The store reports the damage, and changes nothing (W6).
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    do {
      let store = try await PackageStore.open(CrashCheck.path, on: disk)
      try await store.save("Text.txt", "new")
      let hidden = try disk.openDirectory(at: "/Trip.pkg/.docpkg")
      try disk.writeAll([UInt8](repeating: 0xAA, count: 1024), to: disk.openFileForWriting("log", in: hidden))
      let damaged = try disk.contents(of: "log", in: hidden)
      try await store.put("Text.txt", "newer")
      await expect(\FilePackageError.code, .logDamaged) { try await store.save() }
      try await store.close()
      #expect(try disk.contents(of: "log", in: hidden) == damaged)
    }
    #expect(try disk.names(in: "/Trip.pkg/.docpkg").contains("log"))
    #expect(disk.tree["Trip.pkg"]?["Text.txt"] == "new")
  }
}
