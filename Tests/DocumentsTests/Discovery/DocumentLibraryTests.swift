import Documents
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("A library of documents", .tags(.process), .temporaryDirectory)
struct DocumentLibraryTests {
  private func library(_ scratch: DiscoveryScratch, container: URL? = nil) throws -> DocumentLibrary {
    let types = [DiscoveryScratch.note, UTType.plainText]
    return try DocumentLibrary(
      local: FolderLocation(scratch.url("Local"), for: types),
      container: FolderLocation(container ?? scratch.url("Cloud"), for: types))
  }

  private func names(_ location: any StorageLocation) async throws -> [String] {
    try await location.documents().documents.map(\.name)
  }

  @Test func `moves every document to the other place, and back`() async throws {
    for name in ["Local/A.dnote", "Local/Trips/B.dnote", "Cloud/A.dnote"] { try scratch.makePackage(name) }
    try scratch.write("this one", to: "Local/A.dnote/Text.txt")
    try scratch.write("c", to: "Local/c.txt")
    try scratch.write("x", to: "Local/left.alone")
    let library = try library(scratch)
    var report = try await library.convert(to: .container)
    #expect(report.isComplete && report.moved.map(\.name) == ["A.dnote", "Trips/B.dnote", "c.txt"])
    #expect(report.moved.map(\.newName) == ["A 2.dnote", "Trips/B.dnote", "c.txt"])
    let container = try #require(library.container)
    #expect(try await names(container) == ["A 2.dnote", "A.dnote", "Trips/B.dnote", "c.txt"])
    #expect(try await names(library.local) == [])
    #expect(
      try String(contentsOf: scratch.url("Cloud/A 2.dnote").appending(path: "Text.txt"), encoding: .utf8)
        == "this one")
    report = try await library.convert(to: .local)
    #expect(report.isComplete && report.moved.count == 4)
    #expect(try await names(library.local) == ["A 2.dnote", "A.dnote", "Trips/B.dnote", "c.txt"])
    let document = try #require(try await library.local.document(named: "c.txt"))
    #expect(document.contentType == .plainText && document.size == 1 && document.state == .current)
    try await library.local.delete("c.txt")
    #expect(try await library.local.document(named: "c.txt") == nil)
    let error = await #expect(throws: FilePackageError.self) { try await library.local.delete("c.txt") }
    #expect(error?.code == .noSuchFile && error?.operation == .delete)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.text("Local")).contains("left.alone"))
  }

  @Test func `takes no plain folder for a document, also if it has the leftover of one`() async throws {
    try scratch.makeFolder("Local/Trips/.docpkg")
    try scratch.makePackage("Local/Trips/B.dnote")
    try scratch.makeSaved("Local/Plain")
    let location = FolderLocation(scratch.url("Local"))
    #expect(try await names(location) == ["Plain", "Trips/B.dnote"])
    #expect(try await location.document(named: "Plain")?.contentType == .package)
    #expect(try await location.document(named: "Trips") == nil)
    let error = await #expect(throws: FilePackageError.self) { try await location.delete("Trips") }
    #expect(error?.code == .noSuchFile)
    #expect(try await names(location) == ["Plain", "Trips/B.dnote"])
  }

  @Test func `converts for one caller after the other`() async throws {
    for name in ["Local/A.dnote", "Local/B.dnote"] { try scratch.makePackage(name) }
    let library = try library(scratch)
    async let first = library.convert(to: .container)
    async let second = library.convert(to: .local)
    async let third = library.convert(to: .container)
    let reports = try await [first, second, third]
    #expect(reports.allSatisfy { $0.isComplete && [0, 2].contains($0.moved.count) })
    let places = [library.local, try #require(library.container)]
    var found: [[String]] = []
    for place in places { found.append(try await names(place)) }
    #expect(found.contains([]) && found.contains(["A.dnote", "B.dnote"]))
  }

  @Test func `keeps a document's identity on its way to another file system`() async throws {
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
    let library = try library(scratch, container: URL(filePath: other + "/Documents"))
    let report = try await library.convert(to: .container)
    let isOther =
      try FileManager.default.attributesOfItem(atPath: other)[.systemNumber] as? Int
      != FileManager.default.attributesOfItem(atPath: scratch.path)[.systemNumber] as? Int
    // A document that cannot move does not stop the next one.
    #expect(report.failures.map(\.name) == (isOther ? ["B.dnote"] : []))
    #expect(try await names(library.local) == (isOther ? ["B.dnote"] : []))
    let moved = try await PackageStore.open(at: URL(filePath: other + "/Documents/A.dnote"))
    #expect(try await moved.metadata() == metadata)
    #expect(try await moved.versions().count == versions)
    #expect(versions > 0)
    #expect(try await moved.verify().isWhole)
  }

  @Test func `goes on after it was killed, wherever that was`() async throws {
    let path = scratch.path
    for number in 0..<12 { try scratch.makePackage("Local/\(number).dnote") }
    for kill in [0, 2, 4] {
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, kill = kill as Int] in
        let scratch = DiscoveryScratch(path: path)
        let library = try DocumentLibrary(
          local: FolderLocation(scratch.url("Local")), container: FolderLocation(scratch.url("Cloud")))
        _ = try await library.convert(to: .container) { done, _ in
          if done > kill { Glibc.kill(getpid(), SIGKILL) }
        }
      }
      let library = try library(scratch)
      let local = try await names(library.local)
      let container = try await names(try #require(library.container))
      #expect(Set(local).isDisjoint(with: container) && local.count + container.count == 12)
    }
    #expect(try await library(scratch).convert(to: .container).isComplete)
    #expect(try await names(FolderLocation(scratch.url("Cloud"))).count == 12)
  }

  @Test func `refuses names that lead out of a folder, and places within each other`() async throws {
    let location = FolderLocation(scratch.url("Local"))
    for name in ["../x", "a//b", "", "a/../../b"] {
      await expect(\FilePackageError.code, .invalidName) { try await location.document(named: name) }
    }
    // A plain folder is not a document, whatever is in it.
    try scratch.makePackage("Local/Trips/A.dnote")
    #expect(try await location.document(named: "Trips") == nil)
    await expect(\FilePackageError.code, .noSuchFile) { try await location.delete("Trips") }
    expect(\FilePackageError.code, .invalidName) {
      try library(scratch, container: scratch.url("Local/Inner"))
    }
    let alone = try DocumentLibrary(local: location)
    await expect(\FilePackageError.code, .unsupported) { try await alone.convert(to: .container) }
  }
}
