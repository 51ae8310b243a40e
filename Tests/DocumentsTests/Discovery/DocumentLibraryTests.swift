import Documents
import FilePackages
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("A library of documents", .tags(.process))
struct DocumentLibraryTests {
  private func library(_ scratch: DiscoveryScratch, container: URL? = nil) async throws -> DocumentLibrary {
    let types = [DiscoveryScratch.note, UTType.plainText]
    return try await DocumentLibrary(
      local: FolderLocation(scratch.url("Local"), for: types),
      container: FolderLocation(container ?? scratch.url("Cloud"), for: types),
      settings: scratch.url("settings.plist"))
  }

  private func names(_ location: any StorageLocation) async throws -> [String] {
    try await location.documents().documents.map(\.name)
  }

  @Test func `moves every document to the preferred place, and back`() async throws {
    try await withDiscoveryScratch { scratch in
      for name in ["Local/A.dnote", "Local/Trips/B.dnote", "Cloud/A.dnote"] { try scratch.makePackage(name) }
      try scratch.write("this one", to: "Local/A.dnote/Text.txt")
      try scratch.write("c", to: "Local/c.txt")
      try scratch.write("x", to: "Local/left.alone")
      let library = try await library(scratch)
      #expect(await library.preferred == .local)
      #expect(try await library.isFound("A.dnote", in: .container))
      #expect(try await library.isFound("c.txt", in: .local))
      var report = try await library.convert(to: .container)
      #expect(report.isComplete && report.moved.map(\.name) == ["A.dnote", "Trips/B.dnote", "c.txt"])
      #expect(report.moved.map(\.newName) == ["A 2.dnote", "Trips/B.dnote", "c.txt"])
      let container = try #require(library.container)
      #expect(try await names(container) == ["A 2.dnote", "A.dnote", "Trips/B.dnote", "c.txt"])
      #expect(try await names(library.local) == [])
      #expect(try await !library.isFound("c.txt", in: .local))
      #expect(
        try String(contentsOf: scratch.url("Cloud/A 2.dnote").appending(path: "Text.txt"), encoding: .utf8)
          == "this one")
      // Another library with the same settings file prefers the same place.
      let second = try await self.library(scratch)
      #expect(await second.preferred == .container)
      #expect(try await second.url(of: "c.txt")?.path == scratch.text("Cloud/c.txt"))
      report = try await second.convert(to: .local)
      #expect(report.isComplete && report.moved.count == 4)
      #expect(try await names(library.local) == ["A 2.dnote", "A.dnote", "Trips/B.dnote", "c.txt"])
      let document = try #require(try await second.document(named: "c.txt", in: .local))
      #expect(document.contentType == .plainText && document.size == 1 && document.state == .current)
      try await second.delete("c.txt", from: .local)
      #expect(try await !second.isFound("c.txt", in: .local))
      let error = await #expect(throws: FilePackageError.self) {
        try await second.delete("c.txt", from: .local)
      }
      #expect(error?.code == .noSuchFile && error?.operation == .delete)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: scratch.text("Local")).contains("left.alone"))
    }
  }

  @Test func `keeps a document's identity on its way to another file system`() async throws {
    try await withDiscoveryScratch { scratch in
      let other = "/dev/shm/filepackages-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: other) }
      try scratch.makeFolder("Local")
      let tree = FileWrapper(directoryWithFileWrappers: [:])
      tree.addRegularFile(withContents: Data("text".utf8), preferredFilename: "Text.txt")
      let store = try await PackageStore.create(
        tree, at: scratch.url("Local/A.dnote"), contentType: DiscoveryScratch.note
      ).store
      tree.addRegularFile(withContents: Data("more".utf8), preferredFilename: "More.txt")
      _ = try await store.save(options: .keepsHistory)
      let versions = try await store.versions().count
      let metadata = try #require(try await store.metadata())
      try await store.close()
      try scratch.makePackage("Local/B.dnote")
      _ = mkfifo(scratch.text("Local/B.dnote/fifo"), 0o600)
      let library = try await library(scratch, container: URL(filePath: other + "/Documents"))
      let report = try await library.convert(to: .container)
      let isOther =
        try FileManager.default.attributesOfItem(atPath: other)[.systemNumber] as? Int
        != FileManager.default.attributesOfItem(atPath: scratch.path)[.systemNumber] as? Int
      // A document that cannot move does not stop the next one (DL2).
      #expect(report.failures.map(\.name) == (isOther ? ["B.dnote"] : []))
      #expect(try await names(library.local) == (isOther ? ["B.dnote"] : []))
      let moved = try await PackageStore.open(at: URL(filePath: other + "/Documents/A.dnote"))
      #expect(try await moved.metadata() == metadata)
      #expect(try await moved.versions().count == versions)
      #expect(versions > 0)
      #expect(try await moved.verify().isWhole)
    }
  }

  @Test func `goes on after it was killed, wherever that was`() async throws {
    // The killed program has noted the preferred place, and the next one continues (DL1).
    try await withDiscoveryScratch { scratch in
      let path = scratch.path
      for number in 0..<12 { try scratch.makePackage("Local/\(number).dnote") }
      for kill in [0, 2, 4] {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, kill = kill as Int] in
          _ = DiscoveryScratch.note
          let scratch = DiscoveryScratch(path: path)
          let library = try await DocumentLibrary(
            local: FolderLocation(scratch.url("Local")), container: FolderLocation(scratch.url("Cloud")),
            settings: scratch.url("settings.plist"))
          _ = try await library.convert(to: .container) { done, _ in
            if done > kill { Glibc.kill(getpid(), SIGKILL) }
          }
        }
        let library = try await library(scratch)
        #expect(await library.preferred == .container)
        let local = try await names(library.local)
        let container = try await names(try #require(library.container))
        #expect(Set(local).isDisjoint(with: container) && local.count + container.count == 12)
      }
      let report = try await library(scratch).convert(to: .container)
      #expect(report.isComplete)
      #expect(try await names(FolderLocation(scratch.url("Cloud"))).count == 12)
    }
  }

  @Test func `refuses names that lead out of a folder, settings that are none, and places within each other`()
    async throws
  {
    try await withDiscoveryScratch { scratch in
      let location = FolderLocation(scratch.url("Local"))
      for name in ["../x", "a//b", "", "a/../../b"] {
        let error = await #expect(throws: FilePackageError.self) { try await location.document(named: name) }
        #expect(error?.code == .invalidName)
      }
      // A plain folder is not a document, whatever is in it.
      try scratch.makePackage("Local/Trips/A.dnote")
      #expect(try await location.document(named: "Trips") == nil)
      let folder = await #expect(throws: FilePackageError.self) { try await location.delete("Trips") }
      #expect(folder?.code == .noSuchFile)
      try scratch.write("nonsense", to: "settings.plist")
      let error = await #expect(throws: FilePackageError.self) { try await library(scratch) }
      #expect(error?.code == .invalidContent)
      try scratch.remove("settings.plist")
      let nested = await #expect(throws: FilePackageError.self) {
        try await library(scratch, container: scratch.url("Local/Inner"))
      }
      #expect(nested?.code == .invalidName)
      let alone = try await DocumentLibrary(local: location, settings: scratch.url("settings.plist"))
      let none = await #expect(throws: FilePackageError.self) { try await alone.convert(to: .container) }
      #expect(none?.code == .unsupported)
    }
  }
}
