import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A new state that is cut short on its way to its place", .tags(.crash, .scale))
struct StagedCrashTests {
  static let tree: TestTree = [
    "Text.txt": "old text", "Notes.txt": .file(Array("notes".utf8), mode: 0o600), "Data.bin": "0123456789",
    "Current": .link(Array("Images/1.png".utf8)),
    "Images": ["1.png": "one", "2.png": "two", "Deep": ["a.txt": "a", "b.txt": "b"]],
  ]

  static let saves: [[Edit]] = [
    [.put("Text.txt", "new text")],
    [.put("Added.txt", "added"), .remove("Notes.txt")],
    [.move("Images/1.png", "Moved.png"), .link("Current", to: "Moved.png")],
    [.folder("New"), .put("New/x.txt", "x"), .mode("Data.bin", 0o755), .remove("Images/Deep/a.txt")],
    [.move("Images", "Pictures"), .put("Pictures/3.png", "three")],
    [
      .remove("Pictures/Deep"), .put("Text.txt", "newest"), .move("Moved.png", "New/m.png"),
      .link("Other", to: "New"), .put("Pictures/2.png", "two again"), .mode("New", 0o700),
    ],
  ]

  @Test func `leaves a new package whole or not at all, and needs every synchronisation`() async throws {
    func check(
      stopsAtFirst: Bool = true,
      mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
    ) async throws -> CrashCheck {
      var check = CrashCheck()
      check.stopsAtFirst = stopsAtFirst
      let disk = try CrashDisk([:], mistake: mistake)
      try await check.check(disk, limit: 64, savesAgain: !stopsAtFirst) {
        try await Self.tree.create(on: disk)
      }
      return check
    }
    let whole = try await check(stopsAtFirst: false)
    whole.sweep.expectNoneBad()
    // The check ignores the hidden folder.
    for point in whole.syncPoints where point.name != "log" {
      let bad = try await check(mistake: { $0.number == point.number ? .leftOut : nil }).sweep.bad
      #expect(!bad.isEmpty, "\(point) could be left out")
    }
  }

  @Test func `leaves a copy whole or not at all`() async throws {
    var check = CrashCheck()
    let disk = try CrashDisk(["Source.pkg": Self.tree])
    let store = try await PackageStore.open("/Source.pkg", on: disk)
    try await store.put("Text.txt", "unsaved")
    try await check.check(disk, limit: 48, savesAgain: false) {
      try await store.copy(to: URL(filePath: "/Trip.pkg"))
    }
    check.sweep.expectNoneBad()
  }

  @Test func `leaves the old or the new tree with FileWrapper and atomic`() async throws {
    // Before the exchange every state has the old tree (SP1).
    let check = try await Self.write(Array(Self.saves.prefix(4)), limit: 16)
    check.sweep.expectNoneBad()
  }

  @Test func `is refused in the place of a folder if the file system cannot exchange`() throws {
    let disk = try CrashDisk(.package(Self.tree), options: with(.init()) { $0.supportsExchange = false })
    let before = disk.tree
    let tree: TestTree = ["Text.txt": "new"]
    let error = #expect(throws: FilePackageError.self) {
      try tree.wrapper.write(to: CrashCheck.path, options: .atomic, original: nil, on: disk)
    }
    #expect(error?.code == .unsupported && error?.description.contains("remove the old one first") == true)
    #expect(disk.tree == before)
  }

  @Test func `needs every synchronisation with FileWrapper and atomic`() async throws {
    // The new state is synced before the exchange (SP2), and the exchange before the old state goes (SP3).
    let edits: [Edit] = [
      .put("Text.txt", "new text"), .put("Images/Deep/a.txt", "new a"), .folder("New"),
      .put("New/x.txt", "x"),
    ]
    let points = try await Self.write([edits], limit: 1, stopsAtFirst: true).syncPoints
    #expect(points.count > 5)
    for point in points {
      let check = try await Self.write(
        [edits], limit: 128, stopsAtFirst: true, mistake: { $0.number == point.number ? .leftOut : nil })
      #expect(!check.sweep.bad.isEmpty, "\(point) could be left out")
    }
  }

  /// Writes a tree again after each group of edits, and checks every state that a power cut may leave.
  private static func write(
    _ groups: [[Edit]], limit: Int, stopsAtFirst: Bool = false,
    mistake: @escaping @Sendable (CrashDisk.SyncPoint) -> CrashDisk.Mistake? = { _ in nil }
  ) async throws -> CrashCheck {
    var check = CrashCheck()
    check.stopsAtFirst = stopsAtFirst
    let disk = try CrashDisk(.package(tree), mistake: mistake)
    let wrapper = try await PackageStore.open(CrashCheck.path, on: disk).tree
    for edits in groups {
      disk.synchronizeAll()
      for edit in edits { try edit.apply(to: wrapper) }
      try await check.check(disk, limit: limit, savesAgain: !stopsAtFirst) {
        try wrapper.write(
          to: CrashCheck.path, options: [.atomic, .withNameUpdating], original: CrashCheck.path, on: disk)
      }
    }
    return check
  }
}
