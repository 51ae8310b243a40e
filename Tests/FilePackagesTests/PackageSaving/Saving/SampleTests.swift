import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("Documents that other programs made", .temporaryDirectory)
struct SampleTests {
  private static let root = FilePath(sampleFolder.path)

  private static let samples: [FilePath] = {
    let disk = PosixDisk()
    var paths = [root.appending("sample-project.scriv"), root.appending("README.rtfd")]
    let shapes = root.appending("textbundle/shapes")
    if let directory = try? disk.openDirectory(at: shapes), let listing = try? disk.list(directory) {
      for position in listing.sortedPositions() where listing.kind(at: position) == .directory {
        paths.append(shapes.appending(listing.name(at: position).string))
      }
    }
    return paths.filter { (try? disk.openDirectory(at: $0)) != nil }
  }()

  private static func copy(_ source: FilePath, to path: FilePath) throws {
    let disk = PosixDisk()
    let before = try PackagePicture(of: source, on: disk)
    let root = try disk.openDirectory(at: path.removingLastComponent())
    let name = FileName(path.lastComponent?.string ?? "")
    try TestTree.read(source, of: disk).write(to: name, in: root, of: disk)
    // Folders come last, since adding children moves their dates.
    for (place, entry) in before.entries.sorted(by: { $0.key > $1.key }) {
      let file = place == "." ? path : path.pushing(FilePath(place))
      guard let last = file.lastComponent else { continue }
      let folder = try disk.openDirectory(at: file.removingLastComponent())
      if entry.kind == .directory {
        let directory = try disk.openDirectory(FileName(last.string), in: folder)
        try disk.setMode(entry.mode | 0o700, of: directory)
        try disk.setModified(entry.modified, of: directory)
      } else {
        try disk.setModified(entry.modified, of: FileName(last.string), in: folder)
      }
    }
  }

  @Test(
    .enabled(if: !samples.isEmpty, "the samples have to be in 'shared/samples' beside the package"),
    arguments: samples)
  func `change only where they are changed`(sample: FilePath) async throws {
    let name = try #require(sample.lastComponent)
    let path = folder.appending(name)
    try Self.copy(sample, to: path)
    let disk = CountingDisk(PosixDisk())
    var original = try PackagePicture(of: sample, on: PosixDisk())
    for (place, entry) in original.entries where entry.kind == .directory {
      original.entries[place]?.mode |= 0o700
    }
    let before = try PackagePicture(of: path, on: PosixDisk())
    #expect(before == original, "\(original.differences(in: before))")

    let store = try await PackageStore.open(path, on: disk)
    let inode = try disk.status(of: disk.openDirectory(at: path)).identity.inode
    _ = try await ContentSummary(reading: store.tree.snapshot())
    #expect(try await store.save().strategy == .none && disk.counts.changes == 0)
    #expect(try disk.status(of: disk.openDirectory(at: path)).identity.inode == inode)

    // The deepest file.
    let files = before.entries.filter { $0.value.kind == .file }.keys.sorted()
    let place = try #require(files.max { $0.split(separator: "/").count < $1.split(separator: "/").count })
    try await store.put(place, "changed")
    // The samples may be read-only.
    #expect(try await store.save(options: .overwritesReadOnly).written == [place])
    try await store.close()
    try expectNoTraces(in: path, on: PosixDisk())
    let after = try PackagePicture(of: path, on: PosixDisk())
    let parent = place.contains("/") ? place.split(separator: "/").dropLast().joined(separator: "/") : "."
    // The package's own directory had the hidden folder for a while.
    #expect(before.changedNames(in: after).union(["."]) == [place, parent, "."])
    #expect(before.undated(".").entries["."] == after.undated(".").entries["."])
    #expect(after.entries[place]?.bytes == Array("changed".utf8))
    #expect(after.entries[parent]?.mode == before.entries[parent]?.mode)
    #expect(try PosixDisk().names(in: folder) == [name.string])
  }

  /// All folders beneath the samples, each as a package.
  private static let folders: [FilePath] = {
    func folders(in path: FilePath) -> [FilePath] {
      let disk = PosixDisk()
      guard let directory = try? disk.openDirectory(at: path), let listing = try? disk.list(directory) else {
        return []
      }
      return listing.sortedPositions().filter { listing.kind(at: $0) == .directory }.flatMap { position in
        let folder = path.appending(listing.name(at: position).string)
        return [folder] + folders(in: folder)
      }
    }
    return folders(in: root)
  }()

  @Test(
    .enabled(if: !folders.isEmpty, "the samples have to be in 'shared/samples' beside the package"),
    arguments: folders)
  func `are in no conflict, also as documents with a history`(sample: FilePath) async throws {
    func expectNone(_ store: PackageStore) async throws {
      #expect(try await !store.hasConflicts())
      #expect(try await store.conflictVersions().isEmpty)
      #expect(try await store.possibleCopies().isEmpty)
    }
    let made = try await PackageStore.open(sample, on: PosixDisk())
    try await expectNone(made)
    try await made.close()
    let path = folder.appending(try #require(sample.lastComponent))
    try Self.copy(sample, to: path)
    let store = try await PackageStore.open(path, on: PosixDisk())
    try await store.startKeepingHistory()
    try await store.save("Added.txt", "added", options: [.keepsHistory, .overwritesReadOnly])
    try await expectNone(store)
    #expect(try await store.verify().isAsSaved)
    #expect(try await !store.versions().isEmpty)
    try await store.close()
  }

  @Test func `keep their FIFOs and sockets`() async throws {
    let path = folder.appending("Trip.pkg")
    let disk = PosixDisk()
    try TestTree.package(["Text.txt": "old", "Folder": ["a": "a"]]).writeEntries(into: folder, of: disk)
    try makeFIFO(path.appending("Folder/pipe"))
    let store = try await PackageStore.open(path, on: disk)
    try await store.put("Text.txt", "new")
    let before = try PackagePicture(of: path, on: disk)
    let report = try await store.save()
    // A save does not look for the FIFO.
    #expect(report.leftAlone == [])
    try await store.close()
    let after = try PackagePicture(of: path, on: disk)
    #expect(after.entries["Folder/pipe"]?.kind == .fifo)
    #expect(before.changedNames(in: after).union(["."]) == [".", "Text.txt"])
    #expect(try await store.copy(to: url("Copy.pkg")).leftAlone == ["Folder/pipe"])
    #expect(try disk.names(in: folder.appending("Copy.pkg/Folder")) == ["a"])
  }
}
