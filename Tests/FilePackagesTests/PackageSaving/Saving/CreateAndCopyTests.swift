import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A new package")
struct CreateAndCopyTests {
  private static let tree: TestTree = [
    "Text.txt": "text", "Run.sh": .file(Array("#!".utf8), mode: 0o755), "Link": .link(Array("Text.txt".utf8)),
    "A": ["B": ["C": ["deep.txt": "deep"]], "empty": [:]],
  ]

  private static func check(_ path: FilePath, on disk: any Disk) async throws -> PackageMetadata {
    try #require(try await PackageStore.open(path, on: disk).checkedMetadata())
  }

  @Test(arguments: [true, false])
  func `is made whole from a tree in memory`(metadata: Bool) async throws {
    let disk = try CrashDisk()
    let (store, report) = try await PackageStore.create(
      Self.tree.wrapper, "/New.pkg", contentType: metadata ? UTType(exportedAs: "com.example.trip") : nil,
      on: disk)
    #expect(disk.tree["New.pkg"]?.withoutOurs == Self.tree)
    #expect(report.generation == (metadata ? 1 : nil))
    #expect(report.written.contains("A/B/C/deep.txt") && report.reused == 0)
    if metadata {
      let known = try await Self.check("/New.pkg", on: disk)
      #expect(known.parentRevisions.isEmpty && known.contentType?.identifier == "com.example.trip")
      #expect(try await store.metadata() == known)
    }
    // The store continues with the new package.
    let next = try await store.save("Text.txt", "changed again")
    #expect(next.written == (metadata ? ["Metadata.plist", "Text.txt"] : ["Text.txt"]))
    #expect(disk.tree["New.pkg"]?["Text.txt"] == "changed again")
    try await store.close()
    try expectNoTraces(in: "/New.pkg", on: disk)
  }

  @Test func `is refused where something is, before anything is written`() async throws {
    let disk = try CrashDisk(["New.pkg": ["theirs": "x"], "File": "y", "Trip.pkg": Self.tree])
    let counting = CountingDisk(disk)
    let store = try await PackageStore.open(CrashCheck.path, on: counting)
    let before = disk.tree
    for path in ["/New.pkg", "/File"] {
      let error = await #expect(throws: FilePackageError.self) {
        try await PackageStore.create(Self.tree.wrapper, FilePath(path), contentType: nil, on: counting)
      }
      #expect(error?.code == .fileExists && error?.operation == .create)
      let onCopying = await #expect(throws: FilePackageError.self) {
        try await store.copy(to: URL(filePath: path))
      }
      #expect(onCopying?.code == .fileExists && onCopying?.operation == .copy)
    }
    #expect(disk.tree == before && counting.counts.changes == 0)
  }

  @Test func `is a document of its own when it is a copy`() async throws {
    for supportsClone in [false, true] {
      let options = with(CrashDisk.Options()) { $0.supportsClone = supportsClone }
      let (disk, store) = try await CrashCheck.store(Self.tree, options: options)
      try await store.edit([.put("Text.txt", "unsaved"), .move("A/B", "Moved")])
      let before = try PackagePicture(of: CrashCheck.path, on: disk)
      try await store.copy(to: URL(filePath: "/Copy.pkg"))
      #expect(try PackagePicture(of: CrashCheck.path, on: disk) == before)
      var expected = Self.tree
      expected["Text.txt"] = "unsaved"
      expected["Moved"] = expected["A"]?["B"]
      expected["A"]?["B"] = nil
      #expect(disk.tree["Copy.pkg"]?.withoutOurs == expected)
      let (old, new) = (
        try await Self.check(CrashCheck.path, on: disk), try await Self.check("/Copy.pkg", on: disk)
      )
      #expect(new.identifier != old.identifier && new.parentRevisions == [old.revision])
      #expect(new.generation == 1 && new.contentType == old.contentType)
      for path in ["/Copy.pkg", "/Trip.pkg", "/Copy.pkg/Moved/C"] as [FilePath] {
        let folder = try disk.openDirectory(at: path)
        let listing = try disk.list(folder)
        for position in 0..<listing.count where listing.kind(at: position) == .file {
          #expect(try disk.status(of: listing.name(at: position), in: folder).links == 1)
        }
      }
      // This store's edits still wait for its next save.
      #expect(try await store.save().strategy == .log)
      #expect(try await store.save().strategy == .none)
    }
  }

  @Test func `is not made of files that changed under the copy`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    try disk.makeDirectory("Folder", in: disk.openDirectory(at: "/"), mode: 0o755)
    let before = disk.tree
    let known = try #require(try await PackageStore.open(CrashCheck.path, on: disk).metadata())
    for isTorn in [true, false] {
      var files = Self.tree
      if isTorn { files["A"]?["B"]?["C"]?["deep.txt"] = "torn" }
      let make = {
        try PackageStore.create(
          files.wrapper, copying: known, at: "/Folder/Copy.pkg", on: disk, progress: ByteProgress())
      }
      if isTorn {
        let error = #expect(throws: FilePackageError.self) { try make() }
        #expect(error?.code == .changedOnDisk && error?.operation == .copy)
        #expect(disk.tree == before)
      } else {
        #expect(try make().written.contains("Metadata.plist"))
        #expect(try await Self.check("/Folder/Copy.pkg", on: disk).summary == known.summary)
      }
    }
  }

  @Test func `leaves nothing when making it fails halfway`() async throws {
    var points = 0
    for isHard in [false, true] {
      var number = 0
      while true {
        let base = try CrashDisk()
        let disk = FaultyDisk(base)
        disk.fail(isHard ? .requests(from: number) : .request(number), with: .noSpace)
        var failure: FilePackageError?
        do {
          try await Self.tree.create("/New.pkg", on: disk.disk)
        } catch {
          failure = error
        }
        guard disk.stopFailing() > 0 else { break }
        if let failure { #expect(failure.operation == .create && failure.description.contains("'New.pkg'")) }
        let names = try base.names(in: "/").filter { !isHard || !$0.hasPrefix(".docpkg-") }
        if failure?.code == .indeterminate {
          // If the disk fails for good, the library can neither see nor remove the new package.
          #expect(isHard && (names == ["New.pkg"] || names == []), "point \(number): \(names)")
        } else {
          #expect(names == (failure == nil ? ["New.pkg"] : []), "point \(number): \(names)")
        }
        number += 1
      }
      points += number
    }
    #expect(points > 100)
  }

  @Test(arguments: ["a/b", "..", "x/../y"])
  func `names the document, and the child whose name no file can have`(name: String) async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    tree.addFileWrapper(FileWrapper("text", named: name))
    let disk = try CrashDisk()
    await #expect {
      _ = try await PackageStore.create(
        tree, "/New.pkg", contentType: UTType(exportedAs: "com.example.trip"), on: disk)
    } throws: { error in
      let text = "\(error)"
      return (error as? FilePackageError)?.code == .invalidName && text.contains("'New.pkg'")
        && text.contains("'\(name)'")
    }
    #expect(try disk.names(in: "/") == [])
  }

  @Test func `shares no file between two names in it`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    let tree = await store.tree
    let text = try #require(try tree.child(named: "Text.txt"))
    let folder = FileWrapper(directoryWithFileWrappers: ["Text.txt": text])
    folder.preferredFilename = "Folder"
    tree.addFileWrapper(folder)
    try await store.save()
    #expect(disk.tree["Trip.pkg"]?["Folder"]?["Text.txt"] == "text")
    #expect(try disk.status(of: "Text.txt", in: disk.openDirectory(at: CrashCheck.path)).links == 1)
    _ = try await Self.check(CrashCheck.path, on: disk)
  }
}
