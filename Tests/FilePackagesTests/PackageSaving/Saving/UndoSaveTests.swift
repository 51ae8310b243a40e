import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("Undoing saves")
struct UndoSaveTests {
  private static func open(_ disk: any Disk) async throws -> PackageStore {
    try await PackageStore.open(CrashCheck.path, on: disk)
  }

  /// Opens the document for one command, as each call of a command-line tool does.
  private static func run(_ disk: any Disk, _ command: (PackageStore) async throws -> Void) async throws
    -> String
  {
    let store = try await open(disk)
    try await command(store)
    try await store.close()
    return try await open(disk).tree.regularFile(at: "Text.txt").text ?? "?"
  }

  @Test func `goes back and forth across processes, and a new edit ends what could be redone`() async throws {
    // A state that an undo made stands for the earlier one, so that undos go on (E1).
    // After another save there is nothing to redo, and all five texts are versions (E2).
    let disk = try await CrashCheck.disk(["Text.txt": "0"], metadata: true)
    func edit(_ text: String) async throws {
      _ = try await Self.run(disk) {
        try await $0.put("Text.txt", text)
        try await $0.save(options: .keepsHistory)
      }
    }
    func undo() async throws -> String { try await Self.run(disk) { _ = try await $0.undoSave() } }
    func redo() async throws -> String { try await Self.run(disk) { _ = try await $0.redoSave() } }
    func fails(_ body: () async throws -> String) async {
      await expect(\FilePackageError.code, .noSuchVersion, body)
    }
    await fails(undo)
    for text in ["1", "2", "3"] { try await edit(text) }
    await fails(redo)
    #expect(try await undo() == "2")
    #expect(try await undo() == "1")
    #expect(try await redo() == "2")
    #expect(try await undo() == "1")
    #expect(try await undo() == "0")
    await fails(undo)
    #expect(try await redo() == "1")
    #expect(try await redo() == "2")
    #expect(try await redo() == "3")
    await fails(redo)
    #expect(try await undo() == "2")
    try await edit("4")
    await fails(redo)
    // An undone state is no step of the way back; it stays among the versions.
    #expect(try await undo() == "2")
    #expect(try await undo() == "1")
    #expect(try await redo() == "2")
    #expect(try await redo() == "4")
    let store = try await Self.open(disk)
    var texts: Set<String> = []
    for version in try await store.versions() {
      texts.insert(
        try await store.contents(of: version.persistentIdentifier).tree.regularFile(at: "Text.txt").text
          ?? "?")
    }
    #expect(texts == ["0", "1", "2", "3", "4"])
  }

  @Test func `takes back restoring a version`() async throws {
    let disk = try await CrashCheck.disk(["Text.txt": "0", "Other.txt": "other"], metadata: true)
    let store = try await Self.open(disk)
    for text in ["1", "2"] {
      try await store.save("Text.txt", text, options: .keepsHistory)
    }
    let report = try await store.restore(#require(try await store.versions().last).persistentIdentifier)
    #expect(report.save.written == ["Metadata.plist", "Text.txt"] && report.lost == [])
    #expect(try await store.tree.regularFile(at: "Text.txt").text == "0")
    _ = try await store.undoSave()
    #expect(try await store.tree.regularFile(at: "Text.txt").text == "2")
    _ = try await store.redoSave()
    #expect(try await store.tree.regularFile(at: "Text.txt").text == "0")
  }

  @Test func `restores one child and leaves the others`() async throws {
    let disk = try await CrashCheck.disk(
      ["a": "a", "b": "b", "F": ["c": "c", "G": ["d": "d"]]], metadata: true)
    let store = try await Self.open(disk)
    try await store.save([.put("a", "A"), .put("b", "B"), .remove("F")], options: .keepsHistory)
    let version = try #require(try await store.versions().first).persistentIdentifier
    #expect(try await store.restore(version, child: "a").save.written == ["Metadata.plist", "a"])
    #expect(try await store.tree.regularFile(at: "b").text == "B")
    _ = try await store.restore(version, child: "F/G")
    #expect(try await store.tree.regularFile(at: "F/G/d").text == "d")
    #expect(try await store.tree.descendant(at: "F/c") == nil)
    await expect(\FilePackageError.code, .noSuchFile) { try await store.restore(version, child: "never") }
    await expect(\FilePackageError.code, .noSuchVersion) { try await store.restore(UUID()) }
  }

  @Test func `brings back the application's values`() async throws {
    let store = try await Self.open(CrashCheck.disk(["a": "a"], metadata: true))
    func name(_ name: String?) async throws {
      var values = PackageMetadata()
      values.displayName = name
      let plist = FileWrapper(regularFileWithContents: try values.encoded())
      try await store.tree.setDescendant(plist, at: "Metadata.plist")
      try await store.save(options: .keepsHistory)
    }
    try await name("Trip")
    try await name("Journey")
    #expect(try await store.versions().map(\.localizedName) == ["Trip", "Trip.pkg"])
    _ = try await store.undoSave()
    #expect(try await store.metadata()?.displayName == "Trip")
    _ = try await store.undoSave()
    #expect(try await store.metadata()?.displayName == nil)
    #expect(try await store.verify().isWhole)
  }
}
