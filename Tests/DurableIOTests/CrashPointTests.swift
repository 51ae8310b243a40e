import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A power cut at any moment", .tags(.crash))
struct CrashPointTests {
  private static let old: TestTree = ["a": "old a", "b": "old b"]
  private static let new: TestTree = ["a": "new a", "b": "new b"]

  /// Makes the smallest safe save: a sibling directory, synced throughout, that changes places with the document.
  private static func save(on disk: CrashDisk) throws {
    let root = try disk.openDirectory(at: "/")
    try disk.makeDirectory("temporary", in: root, mode: 0o755)
    let staged = try disk.openDirectory("temporary", in: root)
    for (name, entry) in new.entries.sorted(by: { $0.key < $1.key }) {
      try entry.write(to: name, in: staged, of: disk)
      try disk.synchronize(disk.openFile(name, in: staged))
    }
    try disk.synchronize(staged)
    try disk.synchronize(root)
    try disk.rename("temporary", in: root, to: "doc", in: root, .exchange)
    try disk.synchronize(root)
    disk.promise("saved")
    try disk.removeEntries(of: disk.openDirectory("temporary", in: root))
    try disk.removeDirectory("temporary", in: root)
  }

  /// Returns the states of a save in which the document is incomplete, or not the promised one.
  private func failures(_ mistake: CrashDisk.Mistake? = nil, with number: Int? = nil) async throws -> [String]
  {
    let disk = try CrashDisk(["doc": Self.old]) { $0.number == number ? mistake : nil }
    let points = try await CrashDisk.crashPoints(of: disk) { try Self.save(on: disk) }
    return points.flatMap { point in
      point.states().compactMap { state in
        let found = state.tree["doc"]
        let isRight = found == Self.new || (found == Self.old && point.promises.isEmpty)
        return isRight ? nil : "\(point)\n\(state)"
      }
    }
  }

  @Test func `leaves the old document or the new one, and the new one once it was promised`() async throws {
    #expect(try await failures() == [])
  }

  @Test(arguments: 0..<5)
  func `shows which synchronisation was left out`(number: Int) async throws {
    #expect(try await failures(.leftOut, with: number) != [])
  }

  /// The first sync may also come after the save has made the next file.
  @Test(arguments: 1..<5)
  func `shows which synchronisation came too late`(number: Int) async throws {
    #expect(try await failures(.late, with: number) != [])
  }

  @Test func `is tried before each change and at the end`() async throws {
    let disk = try CrashDisk(["doc": "old"])
    let points = try await CrashDisk.crashPoints(of: disk) {
      let root = try disk.openDirectory(at: "/")
      try disk.makeFile("new", Array("new".utf8), in: root)
      _ = try disk.list(root)
      disk.promise("made")
      try disk.rename("new", in: root, to: "doc", in: root, .replace)
      _ = reason { try disk.removeFile("nothing", in: root) }
    }
    #expect(
      points.map(\.description) == [
        "power cut 0, before createFile 'new'", "power cut 1, before write",
        "power cut 2, before rename 'doc'",
        "power cut 3, before removeFile 'nothing'", "power cut 4, at the end",
      ])
    #expect(points.map(\.promises) == [[], [], ["made"], ["made"], ["made"]])
    #expect(points.map(\.tree.entries.count) == [1, 2, 2, 1, 1])
    #expect(points.map { $0.states().count } == [1, 2, 6, 11, 11])
  }

  @Test func `is seen only while somebody looks`() async throws {
    let disk = try CrashDisk()
    func makeDirectory(_ name: FileName) throws {
      try disk.makeDirectory(name, in: disk.openDirectory(at: "/"), mode: 0o755)
    }
    #expect(try await CrashDisk.crashPoints(of: disk) { try makeDirectory("a") }.count == 2)
    try makeDirectory("b")
    #expect(try await CrashDisk.crashPoints(of: disk) { try makeDirectory("c") }.count == 2)
    await #expect(throws: SystemError.self) {
      _ = try await CrashDisk.crashPoints(of: disk) { try makeDirectory("c") }
    }
  }

  @Test func `knows its synchronisations by number, kind and path`() throws {
    let disk = try CrashDisk(["d": ["f": "f"]]) { _ in .leftOut }
    let folder = try Folder(disk, "/d")
    try disk.rename("f", in: folder.descriptor, to: "g", in: folder.descriptor, .noReplace)
    try disk.synchronize(disk.openFile("g", in: folder.descriptor))
    try disk.synchronize(folder.descriptor)
    #expect(
      disk.syncPoints.map(\.description) == [
        "synchronisation 0 of a file, /d/g", "synchronisation 1 of a directory, /d",
      ])
    #expect(disk.syncPoints.map(\.name) == ["g", "d"])
    #expect(disk.syncPoints.map(\.kind) == [.file, .directory])
    // The disk omits the sync, so the rename is not durable.
    #expect(disk.crashStates().count == 2)
  }
}
