import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// A copy made with hard links, as `cp -al` and backup programs make it, shares every file with its original.
@Suite("A copy that shares its files by hard links", .tags(.scale))
struct HardLinkedCopyTests {
  static let copy: FilePath = "/Copy.pkg"

  /// Copies a package as `cp -al` does.
  private static func copyPackage(on disk: CrashDisk) throws {
    let root = try disk.openDirectory(at: "/")
    try linkEverything("Trip.pkg", in: root, to: "Copy.pkg", in: root, on: disk)
  }

  private static func linkEverything(
    _ name: FileName, in folder: borrowing OwnedDescriptor, to newName: FileName,
    in newFolder: borrowing OwnedDescriptor, on disk: CrashDisk
  ) throws {
    let status = try disk.status(of: name, in: folder)
    guard status.kind == .directory else {
      return try disk.link(name, in: folder, to: newName, in: newFolder)
    }
    try disk.makeDirectory(newName, in: newFolder, mode: status.mode)
    let old = try disk.openDirectory(name, in: folder)
    let new = try disk.openDirectory(newName, in: newFolder)
    let listing = try disk.list(old)
    for position in 0..<listing.count {
      let child = listing.name(at: position)
      try linkEverything(child, in: old, to: child, in: new, on: disk)
    }
  }

  /// One of the two packages, with the states that it was saved in.
  private struct Package {
    let path: FilePath
    var model: VersionModel
    /// A store that stays open, if there is one.
    var open: PackageStore?

    func store(on disk: CrashDisk) async throws -> PackageStore {
      if let open { return open }
      return try await PackageStore.open(path, on: disk, logCapacity: 12 << 10)
    }

    func problems(on disk: CrashDisk) async throws -> [String] {
      let store = try await PackageStore.open(path, on: disk)
      let report = try await store.verify()
      return try await model.problems(store) + (report.isAsSaved ? [] : report.lines)
    }
  }

  private static func edit(
    _ package: inout Package, _ number: Int, on disk: CrashDisk, using random: inout SeededGenerator
  ) async throws {
    let store = try await package.store(on: disk)
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      do {
        _ = try await store.undoSave()
      } catch  where error.code == .noSuchVersion {
        // An undo may have taken back the first save already.
      }
    case 1: _ = try await store.thinHistory()
    case 2: _ = try await store.repair(accepting: true)
    default:
      let picture = try await VersionPicture(package.path, on: disk)
      try await store.edit([Edit.random(number, of: picture, using: &random)])
      let ways: [PackageStore.SavingOptions] = [[], .returnsAtCommit]
      try await store.save(options: ways[Int.random(in: 0..<2, using: &random)].union(.keepsHistory))
    }
    try await package.model.note(store, on: disk, at: package.path)
    if package.open == nil { try await store.close() }
  }

  @Test(arguments: 0..<24)
  func `keeps its content and its versions, and so does the original`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let disk = try await CrashCheck.disk(VersionTests.tree, metadata: true)
    var original = Package(path: CrashCheck.path, model: VersionModel())
    let first = try await original.store(on: disk)
    try await original.model.note(first, on: disk)
    if seed % 2 == 1 { original.open = first } else { try await first.close() }
    for number in 0..<4 { try await Self.edit(&original, number, on: disk, using: &random) }
    try Self.copyPackage(on: disk)
    var copy = Package(path: Self.copy, model: original.model)
    if seed % 4 > 1 { copy.open = try await copy.store(on: disk) }
    for number in 4..<14 {
      if Bool.random(using: &random) {
        try await Self.edit(&original, number, on: disk, using: &random)
      } else {
        try await Self.edit(&copy, number, on: disk, using: &random)
      }
      for package in [original, copy] {
        let problems = try await package.problems(on: disk)
        try #require(problems.isEmpty, "\(number), \(package.path): \(problems.joined(separator: "\n"))")
      }
    }
    try await original.open?.close()
    try await copy.open?.close()
    for package in [original, copy] { #expect(try await package.problems(on: disk) == []) }
  }

  @Test func `gets nothing of a save that the original commits later`() async throws {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "one"])
    try await store.save("Text.txt", "two")
    // The original is open, with its log.
    try Self.copyPackage(on: disk)
    try await store.save("Text.txt", "three", options: .returnsAtCommit)
    let copy = try await PackageStore.open(Self.copy, on: disk)
    #expect(try await copy.tree.regularFile(at: "Text.txt").text == "two")
    #expect(try await copy.verify().isAsSaved)
    try await copy.close()
    try await store.close()
    let original = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await original.tree.regularFile(at: "Text.txt").text == "three")
  }

  @Test func `leaves the original its saves and their versions after a power cut`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "one"], metadata: true)
    try await CrashCheck.save("Text.txt", "two", options: .keepsHistory, on: disk)
    try Self.copyPackage(on: disk)
    disk.synchronizeAll()
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.save("Text.txt", "three", options: .keepsHistory)
    for state in disk.crashStates() {
      let again = try await PackageStore.open(CrashCheck.path, on: state.mount())
      #expect(try await again.tree.regularFile(at: "Text.txt").text == "three", "\(state)")
      #expect(try await again.versionTexts() == ["two", "one"], "\(state)")
    }
  }

  @Test(arguments: [true, false])
  func `survives each power cut while one of the two is saved`(isOriginal: Bool) async throws {
    let disk = try await CrashCheck.disk(VersionTests.tree, metadata: true)
    var original = Package(path: CrashCheck.path, model: VersionModel())
    try await original.model.note(original.store(on: disk), on: disk)
    for number in 0..<3 {
      let store = try await original.store(on: disk)
      try await store.save("Text.txt", "\(number)", options: .keepsHistory)
      try await original.model.note(store, on: disk)
      try await store.close()
    }
    try Self.copyPackage(on: disk)
    disk.synchronizeAll()
    let before = Package(path: isOriginal ? Self.copy : CrashCheck.path, model: original.model)
    var saved = Package(path: isOriginal ? CrashCheck.path : Self.copy, model: original.model)
    let points = try await CrashDisk.crashPoints(of: disk) {
      for number in 3..<6 {
        let store = try await saved.store(on: disk)
        try await store.save("Text.txt", "\(number)", options: .keepsHistory)
        try await saved.model.note(store, on: disk, at: saved.path)
        try await store.close()
      }
    }
    var sweep = CrashSweep()
    let key = { (disk: CrashDisk) in try PackagePicture(of: "/", on: disk) }
    try await sweep.check(points, limit: 24, oneOf: 5, key: key) { disk, _ in
      let problems =
        try await before.problems(on: disk)
        + (try await saved.model.problems(PackageStore.open(saved.path, on: disk)))
      return problems.isEmpty ? nil : problems.joined(separator: "\n")
    }
    sweep.expectNoneBad(moreThan: 20)
  }
}
