import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("The versions of a document", .tags(.scale), .temporaryDirectory)
struct VersionTests {
  static let tree: TestTree = [
    "Text.txt": "text", "Data.bin": "data", "Images": ["1.png": "one", "Deep": ["a.txt": "a"]],
  ]

  @Test func `are all there in a copy whose files have other dates`() async throws {
    let original = url("Trip.pkg")
    let copy = url("Copy.pkg")
    let store = try await Self.tree.create(folder.appending("Trip.pkg"))
    for text in ["second", "third!"] {
      try await store.save("Text.txt", text, options: .keepsHistory)
    }
    try await store.close()
    // `cp -r` copies no dates.
    #expect(try Program(path: "/bin/cp").run(["-r", original.path, copy.path]).status == 0)
    let copied = try await PackageStore.open(at: copy)
    #expect(try await copied.verify().isWhole)
    let versions = try await copied.versions()
    #expect(versions.count == 2)
    for (version, text) in zip(versions, ["second", "text"]) {
      let (tree, lost) = try await copied.contents(of: version.persistentIdentifier)
      #expect(lost == [])
      #expect(try tree.child(named: "Text.txt")?.contents() == Data(text.utf8))
    }
    // A read that fails says nothing of a version's content.
    let failures = try await withEachRequestFailing(on: { PosixDisk() }) { disk, _ in
      guard let store = try? await PackageStore.open(folder.appending("Copy.pkg"), on: disk),
        let version = try? await store.contents(of: versions[1].persistentIdentifier)
      else { return }
      #expect(version.lost == [])
    }
    #expect(failures > 10)
    // A kept file with other bytes of the same size is no version's.
    let names = try PosixDisk().names(in: folder.appending("Copy.pkg/.docpkg/kept"))
    for name in names {
      try Data("SECOND".utf8).write(to: copy.appending(path: ".docpkg/kept/\(name)"))
    }
    #expect(try await copied.contents(of: versions[0].persistentIdentifier).lost == ["Text.txt"])
  }

  @Test func `are kept by every program once one has begun`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    var store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.save("Text.txt", "1")
    #expect(try await store.versions().isEmpty)
    #expect(try await !store.keepsHistory())
    try await store.saveAndClose("Text.txt", "2", options: .keepsHistory)
    store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.save("Text.txt", "3")
    let versions = try await store.versions()
    #expect(versions.map(\.differences) == [["Text.txt"], ["Text.txt"]])
    #expect(versions.map(\.metadata.generation) == [3, 2])
    try await store.stopKeepingHistory()
    #expect(try await store.versions().isEmpty)
    try await store.saveAndClose("Text.txt", "4")
    #expect(try namesBesideLog(in: CrashCheck.path, on: disk) == [])
  }

  @Test func `are there as soon as the save returns`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    let store = try await PackageStore.open(CrashCheck.path, on: disk, delays: .standard)
    try await store.put("Text.txt", "second")
    try await Self.expectVersion(afterSaving: store)
    try await store.close()
    #expect(try await PackageStore.open(CrashCheck.path, on: disk).versions().count == 1)
  }

  /// Checks on the store's own thread, before the work that follows a save.
  private static func expectVersion(afterSaving store: isolated PackageStore) throws {
    let before = try store.metadata()?.revision
    try store.save(options: .keepsHistory)
    let versions = try store.versions().map(\.persistentIdentifier)
    #expect(versions.first == before && versions.count == 1)
    let old = try versions.first.flatMap {
      try store.contents(of: $0).tree.descendant(at: "Text.txt")?.contents()
    }
    #expect(old == Data("text".utf8))
  }

  @Test func `are there for each of the saves that return at their commit`() async throws {
    let (_, store) = try await CrashCheck.store(Self.tree)
    for number in 0..<4 {
      try await store.put("Text.txt", "\(number)")
      try await store.save(options: number == 0 ? [.returnsAtCommit, .keepsHistory] : .returnsAtCommit)
    }
    try await store.publish()
    let versions = try await store.versions()
    #expect(versions.map(\.metadata.generation) == [4, 3, 2, 1])
    for (version, text) in zip(versions, ["2", "1", "0", "text"]) {
      let tree = try await store.contents(of: version.persistentIdentifier).tree
      #expect(try tree.regularFile(at: "Text.txt").text == text)
    }
    #expect(try await store.metadata()?.generation == 5)
  }

  @Test func `have what an undo stack holds, too`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    let top = await store.tree
    let held = try ["Images", "Data.bin"].map { try #require(top.fileWrappers?[$0]) }
    var model = try await VersionModel(store, on: disk)
    for round in 0..<3 {
      for child in held { top.removeFileWrapper(child) }
      try await store.save("Text.txt", "out \(round)", options: .keepsHistory)
      try await model.note(store, on: disk)
      #expect(held[1].text == "data")
      #expect(held[0].fileWrappers?["Deep"]?.fileWrappers?["a.txt"]?.text == "a")
      for child in held { top.addFileWrapper(child) }
      try await store.save()
      try await model.note(store, on: disk)
    }
    #expect(try await model.problems(store) == [])
    #expect(model.states.count == 7)
  }

  @Test func `are the state that was there, whatever another program did to it`() async throws {
    let disk = try await CrashCheck.disk(Self.tree, metadata: true)
    var store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.save("Text.txt", "second", options: .keepsHistory)
    try await store.saveAndClose("Text.txt", "third")
    // The other program changes an image that all versions share, and the text.
    try disk.edit("Images/1.png", "painted over")
    try disk.edit("Text.txt", "theirs")
    store = try await PackageStore.open(CrashCheck.path, on: disk)
    let before = try await store.versions()
    #expect(try await store.contents(of: before[0].persistentIdentifier).lost == ["Images/1.png"])
    try await store.put("Text.txt", "fourth")
    try await store.save("Images/1.png", "ours")
    let versions = try await store.versions()
    #expect(versions.count == 3)
    // The newest version has the other program's content; the one before has the saved content if that is kept.
    let newest = try await store.contents(of: versions[0].persistentIdentifier)
    #expect(newest.lost == [])
    #expect(try newest.tree.regularFile(at: "Text.txt").text == "theirs")
    #expect(try newest.tree.regularFile(at: "Images/1.png").text == "painted over")
    let second = try await store.contents(of: versions[1].persistentIdentifier)
    #expect(second.lost == ["Images/1.png"])
    #expect(try second.tree.regularFile(at: "Text.txt").text == "second")
    // Thinning does not change that.
    try await store.removeVersions([versions[0].persistentIdentifier])
    let again = try await store.contents(of: versions[1].persistentIdentifier)
    #expect(again.lost == ["Images/1.png"])
    #expect(try again.tree.regularFile(at: "Text.txt").text == "second")
  }

  @Test func `have lost a link that another program changed`() async throws {
    let disk = try await CrashCheck.disk(
      ["Text.txt": "first", "Latest": .link(Array("a".utf8))], metadata: true)
    let store = try await PackageStore.open(CrashCheck.path, on: disk)
    try await store.save("Text.txt", "second", options: .keepsHistory)
    let version = try #require(try await store.versions().first?.persistentIdentifier)
    #expect(try await store.contents(of: version).lost == [])
    let folder = try disk.openDirectory(at: CrashCheck.path)
    try disk.removeFile("Latest", in: folder)
    try disk.makeSymbolicLink(to: Array("b".utf8), named: "Latest", in: folder)
    #expect(try await store.contents(of: version).lost == ["Latest"])
  }

  @Test func `are verified, and damage of what they alone have is told`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    for text in ["second", "third"] {
      try await store.save("Text.txt", text, options: .keepsHistory)
    }
    try await store.close()
    let whole = try await store.verify()
    #expect(whole.isWhole && whole.versions == 2 && whole.damagedVersions == [])
    let folder = try disk.openDirectory(at: "/Trip.pkg/.docpkg/kept")
    let names = try disk.names(in: "/Trip.pkg/.docpkg/kept")
    let kept = FileName(names[0])
    let before = try disk.status(of: kept, in: folder)
    let file = try disk.openFileForWriting(kept, in: folder)
    try disk.write(Array("X".utf8), to: file, at: 0)
    try disk.setModified(before.modified, of: file)
    #expect(try await store.verify().damagedVersions.count == 1)
    try disk.removeFile(FileName(names[1]), in: folder)
    let found = try await store.verify()
    #expect(!found.isWhole && found.damagedVersions.count == 2 && found.damaged == [])
    let versions = try await store.versions()
    var lost: [[String]] = []
    for version in versions {
      lost.append(try await store.contents(of: version.persistentIdentifier).lost)
    }
    #expect(lost.contains(["Text.txt"]))
  }

  @Test func `share a file of the same bytes, which stays as long as one of them needs it`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    let path = "/Trip.pkg/.docpkg/kept"
    for text in ["a", "b", "a", "b"] {
      try await store.save("Text.txt", text, options: .keepsHistory)
    }
    try await store.close()
    #expect(try namesBesideLog(in: CrashCheck.path, on: disk) == ["kept"])
    // The first text, and the two others.
    #expect(try disk.names(in: FilePath(path)).count == 3)
    let versions = try await store.versions()
    try await store.removeVersions([versions[2].persistentIdentifier])
    let left = try await store.versions()
    #expect(
      try await store.contents(of: left[0].persistentIdentifier).tree.regularFile(at: "Text.txt").text == "a")
    try await store.removeVersions([versions[0].persistentIdentifier])
    #expect(try disk.names(in: FilePath(path)).count == 2)

    // A damaged file does not hide the next one of that name.
    try disk.rot(FileName(keeping: ContentHash(of: Array("b".utf8)), .file), in: FilePath(path))
    #expect(try await !store.verify().isWhole)
    try await store.saveAndClose("Text.txt", "c", options: .keepsHistory)
    #expect(try await store.verify().isWhole)
  }

  @Test func `are not those of before a save that kept none`() async throws {
    let (disk, store) = try await CrashCheck.store(Self.tree)
    try await store.saveAndClose("Text.txt", "second", options: .keepsHistory)
    // A program that does not know of the log writes no version.
    let folder = try disk.openDirectory(at: "/Trip.pkg/.docpkg")
    try disk.rename("log", in: folder, to: "hidden", in: folder, .replace)
    try await CrashCheck.save("Text.txt", "theirs", on: disk)
    try disk.rename("hidden", in: folder, to: "log", in: folder, .replace)
    let other = try await PackageStore.open(CrashCheck.path, on: disk)
    #expect(try await other.versions().isEmpty)
    try await other.save("Text.txt", "third")
    #expect(try await other.versions().count == 1)
  }

  @Test(arguments: LogCrashTests.Kind.allCases, 0..<4)
  func `are what a model says, whatever is done`(kind: LogCrashTests.Kind, seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<5 {
      let disk = try await CrashCheck.disk(Self.tree, metadata: true, options: kind.options)
      var store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: 24 << 10)
      try await store.save("Text.txt", "begun", options: .keepsHistory)
      var model = try await VersionModel(store, on: disk)
      var done: [String] = []
      var isWaiting = false
      for number in 0..<24 {
        if !isWaiting || Bool.random(using: &generator) {
          let edit = Edit.random(number, of: try VersionPicture(await store.tree), using: &generator)
          done.append("\(edit)")
          try await store.edit([edit])
        }
        var options: PackageStore.SavingOptions = [.overwritesReadOnly]
        switch Int.random(in: 0..<8, using: &generator) {
        case 1, 2, 3: options.insert(.returnsAtCommit)
        default: break
        }
        do {
          done.append("\(try await store.save(options: options)) \(options.rawValue)")
        } catch {
          Issue.record("\(error)\n\(done.joined(separator: "\n"))")
          return
        }
        isWaiting = options.contains(.returnsAtCommit)
        if !isWaiting { try await model.note(store, on: disk) }
        if Int.random(in: 0..<6, using: &generator) == 0 {
          try await model.note(store, on: disk)
          isWaiting = false
          try await store.close()
          store = try await PackageStore.open(CrashCheck.path, on: disk, logCapacity: 24 << 10)
          done.append("closed")
        }
      }
      try await model.note(store, on: disk)
      let isExact = kind.options.supportsExchange || kind.options.supportsLinks
      // A waiting save becomes a version, too, and the model has not noted it.
      let problems = try await model.problems(store, all: false)
      if isExact {
        try #require(problems.isEmpty, "\(problems.joined(separator: "\n"))\n\(done.joined(separator: "\n"))")
      } else {
        // Without exchange and links, a replaced file is lost; and the version reports that.
        #expect(problems.allSatisfy { !$0.hasPrefix("versions") })
      }
    }
  }
}

extension CrashDisk {
  /// Writes into a file of the document, as an editor without this library does.
  func edit(_ path: String, _ text: String) throws {
    let place = PackagePath(path)
    let folder = try Location(CrashCheck.path, on: self).openDirectory(place.parent)
    let name = try #require(place.name)
    try removeFile(name, in: folder)
    let file = try createFile(name, in: folder, mode: 0o644)
    try write(Array(text.utf8), to: file, at: 0)
    // This disk has a clock of its own, which is behind that of the saves.
    try setModified(Environment.current.now(), of: file)
  }
}
