import DurableIO
import FilePackages
import FoundationEssentials
import TestSupport
import Testing

@Suite("Unsaved edits of an open package", .temporaryDirectory)
struct UnsavedEditsTests {
  /// Makes a document of two versions, with a conflict version of another program.
  private static func store() async throws -> (disk: CrashDisk, store: PackageStore) {
    let (disk, store) = try await CrashCheck.store(["Text.txt": "0", "Other.txt": "other"])
    for text in ["1", "2"] {
      try await store.save("Text.txt", text, options: .keepsHistory)
    }
    _ = try await store.undoSave()
    try await store.keepConflict(["Other.txt"])
    return (disk, store)
  }

  private static let edits: [Edit] = [
    .put("Text.txt", "edited"), .put("New.txt", "new"), .remove("Other.txt"), .folder("Folder"),
  ]

  /// Expects these edits in the store's tree, and saves them.
  private static func expectEdits(_ store: PackageStore, _ tree: FileWrapper, on disk: CrashDisk) async throws
  {
    #expect(await store.tree === tree)
    #expect(try tree.childNames().sorted() == ["Folder", "Metadata.plist", "New.txt", "Text.txt"])
    let report = try await store.save()
    #expect(report.written == ["Folder", "Metadata.plist", "New.txt", "Text.txt"])
    #expect(report.removed == ["Other.txt"])
    try await store.close()
    let again = try await PackageStore.open(CrashCheck.path, on: disk).tree
    #expect(try again.regularFile(at: "Text.txt").text == "edited")
  }

  @Test(arguments: ["restore", "undo", "redo", "resolve", "resolve for a version", "save"])
  func `are not touched by saying what an operation would do`(operation: String) async throws {
    let (disk, store) = try await Self.store()
    let oldest = try #require(try await store.versions().last).persistentIdentifier
    let conflict = try #require(try await store.conflictVersions().first).id
    try await store.edit(Self.edits)
    let tree = await store.tree
    let plan =
      switch operation {
      case "restore": try await store.restorePlan(oldest)
      case "undo": try await store.undoPlan()
      case "redo": try await store.redoPlan()
      case "resolve": try await store.resolvingPlan(keeping: nil)
      case "resolve for a version": try await store.resolvingPlan(keeping: conflict)
      default: try await store.plan()
      }
    // The plan is about the document as it was saved.
    switch operation {
    case "restore", "undo", "redo":
      #expect(plan.lines == ["write Metadata.plist", "write Text.txt (1 B)"])
    case "save": #expect(plan.lines.contains("remove Other.txt"))
    default: #expect(!plan.lines.contains { $0.contains("New.txt") || $0.contains("Folder") })
    }
    try await Self.expectEdits(store, tree, on: disk)
  }

  @Test(arguments: [
    "restore", "restore a child", "undo", "redo", "resolve", "resolve for a version", "repair",
  ])
  func `are refused by name where an operation would drop them`(operation: String) async throws {
    let (disk, store) = try await Self.store()
    let oldest = try #require(try await store.versions().last).persistentIdentifier
    let conflict = try #require(try await store.conflictVersions().first).id
    try await store.edit(Self.edits)
    let tree = await store.tree
    let error = await #expect(throws: FilePackageError.self) {
      switch operation {
      case "restore": _ = try await store.restore(oldest)
      case "restore a child": _ = try await store.restore(oldest, child: "Text.txt")
      case "undo": _ = try await store.undoSave()
      case "redo": _ = try await store.redoSave()
      case "resolve": try await store.resolveConflicts(store.conflictVersions(), keeping: nil)
      case "resolve for a version":
        try await store.resolveConflicts(store.conflictVersions(), keeping: conflict)
      default: _ = try await store.repair()
      }
    }
    #expect(error?.code == .unsavedEdits)
    let text = try #require(error?.description)
    for name in ["'Folder'", "'New.txt'", "'Other.txt'", "'Text.txt'"] {
      #expect(text.contains(name), "\(text)")
    }
    #expect(text.contains("Save the edits first"), "\(text)")
    #expect(try await store.conflictVersions().map(\.id) == [conflict])
    try await Self.expectEdits(store, tree, on: disk)
  }

  @Test func `that are saved and wait to be published are no unsaved ones`() async throws {
    let (_, store) = try await Self.store()
    try await store.edit(Self.edits)
    try await store.save(options: .returnsAtCommit)
    #expect(try await store.plan().isEmpty)
    #expect(try await store.save(options: .returnsAtCommit).strategy == .none)
    try await store.put("New.txt", "newer")
    #expect(try await store.plan().lines == ["write Metadata.plist", "write New.txt (5 B)"])
  }

  @Test(arguments: ["x", "F"])
  func `are saved after another package that got a child of this one`(name: String) async throws {
    try scratch.make("A", ["x": "1", "F": ["y": "2"]])
    try scratch.make("B", [:])
    let stores = try await [PackageStore.open(at: scratch.url("A")), PackageStore.open(at: scratch.url("B"))]
    let (old, new) = await (stores[0].tree, stores[1].tree)
    let child = try #require(old.fileWrappers?[name])
    if child.isDirectory { #expect(child.fileWrappers?["y"]?.text == "2") }
    old.removeFileWrapper(child)
    new.addFileWrapper(child)
    try await stores[1].save()
    try await stores[0].save()
    #expect(try scratch.tree("A").entries.keys.contains(FileName(name)) == false)
    try new.put(Data("3".utf8), named: name == "F" ? "y" : "x", in: name == "F" ? "F" : "")
    try await stores[1].save()
    for store in stores { try await store.close() }
    #expect(try scratch.tree("B") == (name == "F" ? ["F": ["y": "3"]] : ["x": "3"]))
  }
}
