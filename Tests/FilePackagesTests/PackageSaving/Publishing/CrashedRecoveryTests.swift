import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("What comes after a crash while a tree replaces a package", .tags(.crash, .scale))
struct CrashedRecoveryTests {
  private static let edits: [Edit] = [.put("Text.txt", "new text"), .put("Images/2.png", "two again")]

  /// Writes the document's tree, with edits, over the document.
  private static func write(_ edits: [Edit], on disk: CrashDisk) async throws {
    let tree = try await PackageStore.open(CrashCheck.path, on: disk).tree
    for edit in edits { try edit.apply(to: tree) }
    try tree.write(to: CrashCheck.path, options: .atomic, original: nil, on: disk)
  }

  /// Returns the package before and after a write, and every moment at which the write may be interrupted.
  private static func write() async throws -> (old: PackagePicture, new: PackagePicture, points: [CrashPoint])
  {
    let disk = try CrashDisk(.package(["Text.txt": "old text", "Images": ["2.png": "two"]]))
    let old = try PackagePicture(of: CrashCheck.path, on: disk).natural
    let points = try await CrashDisk.crashPoints(of: disk) { try await write(edits, on: disk) }
    return (old, try PackagePicture(of: CrashCheck.path, on: disk).natural, points)
  }

  /// Opens the state after a crash and writes over it, and checks every state that a second crash may leave.
  private static func checkNext(
    _ disk: CrashDisk, _ old: PackagePicture, _ new: PackagePicture, _ sweep: inout CrashSweep
  ) async throws {
    var next: PackagePicture?
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await write([.put("Text.txt", "newest")], on: disk)
      disk.promise("saved")
      next = try PackagePicture(of: CrashCheck.path, on: disk).natural
    }
    try await sweep.check(points, limit: 5, most: .max, key: Self.key) { disk, point in
      _ = try await PackageStore.open(CrashCheck.path, on: disk)
      let found = try PackagePicture(of: CrashCheck.path, on: disk).natural
      let isRight = found == next || (point.promises.isEmpty && (found == old || found == new))
      return isRight ? nil : new.differences(in: found)
    }
  }

  private static func key(_ disk: CrashDisk) throws -> AnyHashable { try PackagePicture(of: "/", on: disk) }

  @Test func `survives a second power cut`() async throws {
    let (old, new, points) = try await Self.write()
    var (first, second) = (CrashSweep(), CrashSweep())
    try await first.check(points, limit: 5, key: Self.key) { disk, _ in
      try await Self.checkNext(disk, old, new, &second)
      return nil
    }
    first.expectNoneBad()
    second.expectNoneBad()
  }

  @Test func `survives a power cut after the program was killed`() async throws {
    let (old, new, points) = try await Self.write()
    var sweep = CrashSweep()
    for point in points { try await Self.checkNext(point.afterKill(), old, new, &sweep) }
    sweep.expectNoneBad()
  }

  @Test func `needs the synchronisation before it removes what a kill left`() async throws {
    // Without the sync, a power cut brings back an old state whose files are gone (HS2).
    let (old, new, points) = try await Self.write()
    let exchange = try #require(points.firstIndex { $0.next == .exchange })
    // The old state stands beside the new one, and the exchange is not durable.
    let disk = points[exchange + 1].afterKill { $0.number == 0 ? .leftOut : nil }
    var sweep = CrashSweep()
    try await Self.checkNext(disk, old, new, &sweep)
    #expect(!sweep.bad.isEmpty)
  }
}
