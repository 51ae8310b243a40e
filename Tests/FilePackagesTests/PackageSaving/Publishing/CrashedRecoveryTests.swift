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
    _ disk: CrashDisk, _ old: PackagePicture, _ new: PackagePicture, _ bad: inout [String]
  ) async throws -> Int {
    var states = 0
    var next: PackagePicture?
    let points = try await CrashDisk.crashPoints(of: disk) {
      try await write([.put("Text.txt", "newest")], on: disk)
      disk.promise("saved")
      next = try PackagePicture(of: CrashCheck.path, on: disk).natural
    }
    var seen: Set<PackagePicture> = []
    for point in points {
      for state in point.states(limit: 5) {
        states += 1
        let mounted = state.mount()
        let isNextOnly = !point.promises.isEmpty
        guard try isNextOnly || seen.insert(PackagePicture(of: "/", on: mounted)).inserted else { continue }
        _ = try await PackageStore.open(CrashCheck.path, on: mounted)
        let found = try PackagePicture(of: CrashCheck.path, on: mounted).natural
        if found == next || (!isNextOnly && (found == old || found == new)) { continue }
        bad.append("\(point)\n\(state)\n\(new.differences(in: found))")
      }
    }
    return states
  }

  @Test func `survives a second power cut`() async throws {
    let (old, new, points) = try await Self.write()
    var (states, bad) = (0, [String]())
    var seen: Set<PackagePicture> = []
    for point in points {
      for state in point.states(limit: 5) {
        let mounted = state.mount()
        guard seen.insert(try PackagePicture(of: "/", on: mounted)).inserted else { continue }
        states += try await Self.checkNext(mounted, old, new, &bad)
      }
    }
    print("after a power cut: \(states) states of a second one, \(bad.count) bad")
    #expect(bad.isEmpty, "\(bad.prefix(2).joined(separator: "\n\n"))")
  }

  @Test func `survives a power cut after the program was killed`() async throws {
    let (old, new, points) = try await Self.write()
    var (states, bad) = (0, [String]())
    for point in points { states += try await Self.checkNext(point.afterKill(), old, new, &bad) }
    print("after a kill: \(states) states of a power cut, \(bad.count) bad")
    #expect(bad.isEmpty, "\(bad.prefix(2).joined(separator: "\n\n"))")
  }

  @Test func `needs the synchronisation before it removes what a kill left`() async throws {
    // Without the sync, a power cut brings back an old state whose files are gone (HS2).
    let (old, new, points) = try await Self.write()
    let exchange = try #require(points.firstIndex { $0.next == .exchange })
    // The old state stands beside the new one, and the exchange is not durable.
    let disk = points[exchange + 1].afterKill { $0.number == 0 ? .leftOut : nil }
    var bad: [String] = []
    _ = try await Self.checkNext(disk, old, new, &bad)
    #expect(!bad.isEmpty)
  }
}
