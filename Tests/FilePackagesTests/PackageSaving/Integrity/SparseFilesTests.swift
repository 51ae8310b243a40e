import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Files of the library's own that are longer than what is in them", .temporaryDirectory)
struct SparseFilesTests {
  private static let limit: UInt64 = 1 << 20

  private static func package(in folder: FilePath) async throws -> FilePath {
    let path = folder.appending("Trip.pkg")
    let tree: TestTree = ["Text.txt": "text"]
    try await tree.create(path).saveAndClose("Text.txt", "other", options: .keepsHistory)
    return path
  }

  private static func stretch(_ file: FilePath, to size: Int64) throws {
    let descriptor = try FileDescriptor.open(file, .readWrite, options: .create, permissions: .ownerReadWrite)
    try descriptor.closeAfter { try descriptor.resize(to: size) }
  }

  @Test(arguments: [Int64(1) << 30, 1 << 40])
  func `are found damaged by their beginning`(size: Int64) async throws {
    let path = try await Self.package(in: folder)
    try PosixDisk().removeFile("log", in: PosixDisk().openDirectory(at: path.appending(".docpkg")))
    try Self.stretch(path.appending(".docpkg/log"), to: size)
    let disk = CountingDisk(PosixDisk())
    let store = try await PackageStore.open(path, on: disk)
    #expect(await store.logDamage?.code == .logDamaged)
    try await store.put("Text.txt", "new")
    await #expect(throws: FilePackageError.self) { try await store.save() }
    #expect(disk.counts.bytesRead < Self.limit, "\(disk.counts.bytesRead)")
  }

  @Test func `are read as far as their records reach`() async throws {
    let path = try await Self.package(in: folder)
    let open = try await PackageStore.open(path, on: PosixDisk())
    try await open.save("Text.txt", "new")
    try Self.stretch(path.appending(".docpkg/log"), to: 1 << 30)
    let disk = CountingDisk(PosixDisk())
    let store = try await PackageStore.open(path, on: disk)
    #expect(await store.logDamage == nil)
    #expect(disk.counts.bytesRead < Self.limit, "\(disk.counts.bytesRead)")
    try await open.close()
  }
}
