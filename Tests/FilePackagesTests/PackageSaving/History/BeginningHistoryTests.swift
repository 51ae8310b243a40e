import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("Beginning a history")
struct BeginningHistoryTests {
  @Test(arguments: [true, false])
  func `keeps the version before the next save`(metadata: Bool) async throws {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "0", "F": ["a": "a"]], metadata: metadata)
    let before = try PackagePicture(of: CrashCheck.path, on: disk)
    var dry = try await store.startKeepingHistory(dryRun: true)
    #expect(dry.isDryRun && dry.begins && dry.addsMetadata == !metadata)
    dry.isDryRun = false
    #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)
    #expect(try await store.startKeepingHistory() == dry)
    #expect(try await store.keepsHistory())
    #expect(try await store.versions().isEmpty)
    #expect(try await !store.startKeepingHistory().begins)
    let whole = try await store.verify()
    #expect(whole.isWhole && whole.hasDigests)
    try await store.saveAndClose("Text.txt", "1")
    // The version reports as lost the content that another program changes.
    try disk.edit("F/a", "A")
    let again = try await PackageStore.open(CrashCheck.path, on: disk)
    let version = try #require(try await again.versions().first).persistentIdentifier
    let (tree, lost) = try await again.contents(of: version)
    #expect(try tree.regularFile(at: "Text.txt").text == "0")
    #expect(lost == ["F/a"])
    _ = try await again.undoSave()
    #expect(try await again.tree.regularFile(at: "Text.txt").text == "0")
  }

  @Test func `leaves unsaved edits alone`() async throws {
    let (_, store) = try await CrashCheck.store(["Text.txt": "0"], metadata: false)
    try await store.put("Text.txt", "1")
    await expect(\FilePackageError.code, .unsavedEdits) { try await store.startKeepingHistory() }
    #expect(try await store.save().written == ["Text.txt"])
  }

  @Test func `is refused alike by the dry run and the real one`() async throws {
    let theirs = "<plist><dict><key>CFBundleName</key><string>Notes</string></dict></plist>"
    let disk = try await CrashCheck.disk(
      ["Text.txt": "0", "Metadata.plist": .file(Array(theirs.utf8))], metadata: false)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    for dryRun in [true, false] {
      let error = await #expect(throws: FilePackageError.self) {
        try await store.startKeepingHistory(dryRun: dryRun)
      }
      #expect(error?.code == .reservedName, "dry run: \(dryRun)")
    }
    let other = try await PackageStore.open(
      CrashCheck.path, on: CrashCheck.disk(["Text.txt": "0"], metadata: false))
    try await other.put("Text.txt", "1")
    await expect(\FilePackageError.code, .unsavedEdits) { try await other.startKeepingHistory(dryRun: true) }
  }
}
