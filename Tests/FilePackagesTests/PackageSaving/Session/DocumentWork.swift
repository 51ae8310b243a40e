import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// A command on a document, from its opening to its closing, as in each call of a command-line tool.
enum DocumentWork: String, CaseIterable, Sendable {
  case save, large, undo, redo, restore, prune, repair, copy

  /// The content of a document for a reader, and whether there is a copy of it.
  struct Sight: Equatable, Sendable {
    var texts: [String: [UInt8]]
    var versions: Int
    var hasCopy = false
  }

  static let path = CrashCheck.path
  /// The step between the tested requests; 1 with `ALL_CRASH_POINTS=1`.
  static let step = ProcessInfo.processInfo.environment["ALL_CRASH_POINTS"] == "1" ? 1 : 11
  private static let copyPath: FilePath = "/Copy.pkg"

  /// Makes a disk with another document and a document of four versions, the last one undone.
  static func disk() async throws -> CrashDisk {
    let disk = try await CrashCheck.disk(
      ["Text.txt": "0", "Notes.txt": "notes", "Images": ["1.png": "one", "2.png": "two"]], metadata: true)
    try await (["Text.txt": "another document"] as TestTree).create("/Other.pkg", on: disk)
    for number in 1...3 {
      let store = try await PackageStore.open(path, on: disk)
      try await store.edit([.put("Text.txt", "\(number)"), .put("Images/\(number).png", "image \(number)")])
      try await store.save(options: .keepsHistory)
      if number == 3 { _ = try await store.undoSave() }
      try await store.close()
    }
    return disk
  }

  /// Returns the document that a reader of the library finds.
  static func sight(_ path: FilePath = path, on disk: any Disk) async throws -> Sight {
    let store = try await PackageStore.open(path, on: disk)
    let texts = try VersionPicture(await store.tree).entries.mapValues(\.bytes)
    let hasCopy = try disk.exists(FileName(copyPath.lastComponent ?? "?"), in: disk.openDirectory(at: "/"))
    return Sight(texts: texts, versions: try await store.versions().count, hasCopy: hasCopy)
  }

  /// Runs the command, and returns its warnings.
  ///
  /// - Parameter opened: is called when the document is open.
  func run(on disk: any Disk, opened: () -> Void = {}) async throws -> [SaveWarning] {
    let store = try await PackageStore.open(Self.path, on: disk)
    opened()
    var report: SaveReport
    switch self {
    case .save:
      try await store.edit([.put("Text.txt", "saved"), .remove("Notes.txt")])
      report = try await store.save(options: .keepsHistory)
    case .large:
      try await store.put("Text.txt", String(repeating: "saved ", count: 200_000))
      report = try await store.save(options: .keepsHistory)
    case .undo: report = try await store.undoSave().save
    case .redo: report = try await store.redoSave().save
    case .restore:
      let oldest = try await store.versions().last?.persistentIdentifier ?? UUID()
      report = try await store.restore(oldest).save
    case .prune:
      let known = try await store.retentionPolicy()
      var policy = try #require(known)
      policy.byteBudget = 1
      try await store.setRetentionPolicy(policy)
      var report = try await store.thinHistory()
      await store.close(noting: &report.warnings)
      return report.warnings
    case .repair:
      var report = try await store.repair(accepting: true)
      await store.close(noting: &report.warnings)
      return report.warnings
    case .copy: report = try await store.copy(to: .init(filePath: Self.copyPath.string))
    }
    report = await store.close(after: report)
    return report.warnings
  }
}
