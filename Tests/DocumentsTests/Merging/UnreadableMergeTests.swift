import Documents
import DurableIO
import FoundationEssentials
import ImageNotes
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A merge of versions while a request to the disk fails", .tags(.crash, .scale))
struct UnreadableMergeTests {
  /// Makes a document in conflict. Another computer changed a picture that this one removed; both changed the text.
  private static func disk() async throws -> CrashDisk {
    let disk = try CrashDisk()
    _ = try await ConflictTests.apart(
      [
        "Text.txt": "one\ntwo\nthree\n", "Images/a.png": "a", "Images/changed.png": "old",
        "Images/gone.png": "gone", "Notes.txt": "one\ntwo\nthree\n", "data": "\u{0}data",
      ],
      first: [
        "Text.txt": "ONE\ntwo\nthree\n", "Images/changed.png": "a new picture", "Images/added.png": "added",
        "Notes.txt": "ONE\ntwo\nthree\n", "data": "\u{0}ours",
      ],
      second: ["Text.txt": "one\ntwo\nTHREE\n", "Images/gone.png": nil, "Notes.txt": "one\ntwo\nTHREE\n"],
      on: disk)
    try await ConflictTests.save(["Images/changed.png": nil], at: ConflictTests.first, on: disk)
    return disk
  }

  private struct Outcome: Equatable {
    var conflicts: [MergeConflict]
    var texts: [String: String]
  }

  private static func merge(on disk: any Disk, keepsBoth: Bool) async throws -> Outcome {
    let store = try await PackageStore.open(ConflictTests.first, on: disk)
    let report = try await store.mergeConflicts(
      as: ImageNotes.self, keepingBoth: keepsBoth, options: .keepsHistory)
    let present = try await PackageStore.open(ConflictTests.first, on: disk).contents(ofConflict: nil)
    return Outcome(conflicts: report.conflicts, texts: try ConflictTests.texts(present))
  }

  @Test(arguments: [(Errno.ioError, true), (.noMemory, true), (.ioError, false)])
  func `has the outcome of every other merge, or is an error`(code: Errno, keepsBoth: Bool) async throws {
    let start = try #require(try await CrashDisk.crashPoints(of: Self.disk()) {}.last)
    let right = try await Self.merge(on: start.afterKill(), keepsBoth: keepsBoth)
    #expect(right.conflicts.map(\.path) == (keepsBoth ? [] : ["Images/changed.png"]))
    #expect((right.texts["Images/changed.png"] == "a new picture") == keepsBoth)
    var errors = 0
    let requests = try await withEachRequestFailing(code, on: { start.afterKill() }) { disk, number in
      do {
        let outcome = try await Self.merge(on: disk, keepsBoth: keepsBoth)
        #expect(outcome == right, "request \(number)")
      } catch is FilePackageError {
        errors += 1
      }
    }
    #expect(errors > 20 && requests > errors)
  }

  @Test func `does not take a title that cannot be read for one that was removed`() async throws {
    let disk = try await Self.disk()
    let fails = Mutex(false)
    let faulty = CountingDisk(disk) { event throws(SystemError) in
      guard fails.withLock({ $0 }), event.operation == .openFile, event.name == "Metadata.plist" else {
        return
      }
      throw SystemError("openat", event.name, code: .ioError)
    }
    let store = try await PackageStore.open(ConflictTests.first, on: faulty)
    fails.withLock { $0 = true }
    let error = await #expect(throws: FilePackageError.self) { let _: ImageNotes = try await store.content() }
    #expect(error?.code == .inputOutput && error?.child == "Metadata.plist")
    fails.withLock { $0 = false }
    let notes: ImageNotes = try await store.content()
    #expect(notes.text == "one\ntwo\nTHREE\n")
  }
}
