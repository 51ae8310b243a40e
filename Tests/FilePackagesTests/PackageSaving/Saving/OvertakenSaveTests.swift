import DurableIO
import FilePackages
import FoundationEssentials
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A file that another program writes as soon as it has its new bytes", .tags(.crash))
struct OvertakenSaveTests {
  /// A disk on which another program writes `name` just after a save has exchanged it, with a text of the same size.
  private static func disk(_ base: CrashDisk, _ name: FileName, in folder: FilePath, _ text: String)
    -> CountingDisk
  {
    let state = Mutex((hasExchanged: false, isDone: false))
    return CountingDisk(base) { (event) throws(SystemError) in
      let isNow = state.withLock { state in
        if event.operation == .exchange { state.hasExchanged = state.hasExchanged || event.name == name }
        defer { state.isDone = state.hasExchanged && event.operation != .exchange }
        return state.hasExchanged && event.operation != .exchange && !state.isDone
      }
      // The expectations below find errors of the other program's change.
      if isNow { try? OutsideEditTests.write(text, to: name, in: folder, on: base) }
    }
  }

  @Test(arguments: [true, false]) func `of a package is the other program's`(metadata: Bool) async throws {
    let base = try await CrashCheck.disk(["Text.txt": "old"], metadata: metadata)
    let store = try await PackageStore.open(
      CrashCheck.path, on: Self.disk(base, "Text.txt", in: CrashCheck.path, "theirs"))
    try await store.put("Text.txt", "ours 1")
    try await store.save()
    #expect(try base.contents(of: "/Trip.pkg/Text.txt") == Array("theirs".utf8))
    #expect(try await store.changesByOthers().paths == ["Text.txt"])
    try await store.put("Text.txt", "ours 2")
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save() }
    #expect(try base.contents(of: "/Trip.pkg/Text.txt") == Array("theirs".utf8))
  }

  @Test func `of one file is the other program's`() async throws {
    let base = try CrashDisk(["Note.txt": "old"])
    let store = try FlatFileStore.open("/Note.txt", on: Self.disk(base, "Note.txt", in: "/", "theirs"))
    try await store.save(FileWrapper("ours 1"))
    #expect(try await store.isChangedByOthers())
    await expect(\FilePackageError.code, .changedOnDisk) { try await store.save(FileWrapper("ours 2")) }
    #expect(try base.contents(of: "/Note.txt") == Array("theirs".utf8))
  }
}
