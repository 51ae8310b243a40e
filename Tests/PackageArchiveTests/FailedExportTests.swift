import DurableIO
import FilePackages
import Foundation
import PackageArchive
import TestSupport
import Testing

@Suite("An export that fails", .tags(.crash), .temporaryDirectory)
struct FailedExportTests {
  private static let children = 40

  private func makePackage(_ fixture: ArchiveFixture) throws {
    var tree: TestTree = [:]
    for number in 0..<Self.children {
      tree[FileName("\(number)")] = .file(ArchiveFixture.noise(100_000, seed: UInt64(number)))
    }
    try fixture.makePackage(tree)
  }

  @Test(arguments: ArchiveFormat.allCases, [nil, "open sesame"])
  func `in the middle leaves nothing beside its place`(_ format: ArchiveFormat, _ passphrase: String?)
    async throws
  {
    if passphrase != nil && format != .zip { return }
    try Data("as it was read".utf8).write(to: fixture.url("original"))
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for number in 0..<Self.children {
      let data = Data(ArchiveFixture.noise(100_000, seed: UInt64(number)))
      let child = FileWrapper(regularFileWithContents: data)
      child.preferredFilename = "\(number)"
      tree.addFileWrapper(child)
    }
    // The export has begun children before this one, and children after it wait.
    let child = try FileWrapper(regularFileWithContentsOf: fixture.url("original"))
    child.preferredFilename = "2 and a half"
    tree.addFileWrapper(child)
    let snapshot = tree.snapshot()
    try Data("changed".utf8).write(to: fixture.url("original"))
    let options = with(ExportOptions()) { $0.passphrase = passphrase }
    await expect(\FilePackageError.code, .changedOnDisk) {
      try await snapshot.export(to: fixture.url("a"), as: format, options: options)
    }
    #expect(try fixture.names == ["original"])
  }

  @Test(arguments: ArchiveFormat.allCases)
  func `since it was cancelled leaves nothing beside its place`(_ format: ArchiveFormat) async throws {
    try makePackage(fixture)
    let snapshot = try await PackageStore.open(at: fixture.package).tree.snapshot()
    let (begun, continuation) = AsyncStream<Void>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    let export = Task {
      try await snapshot.export(to: fixture.url("a"), as: format) { _ in
        continuation.yield()
        gate.wait()
      }
    }
    for await _ in begun { break }
    export.cancel()
    for _ in 0..<Self.children * 2 { gate.signal() }
    await #expect(throws: CancellationError.self) { try await export.value }
    #expect(try fixture.names == ["Trip.pack"])
  }
}
