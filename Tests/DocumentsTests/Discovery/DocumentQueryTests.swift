import Documents
import DurableIO
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@Suite("A query", .temporaryDirectory)
struct DocumentQueryTests {
  /// Starts a query that looks only on request.
  private func started(
    _ search: DocumentSearch, maximumWatches: Int = .max
  ) async -> (query: DocumentQuery, heard: HeardResults) {
    let query = DocumentQuery(search, options: .patient, watching: true, maximumWatches: maximumWatches)
    let heard = await HeardResults(starting: query)
    return (query, heard)
  }

  private func names(_ items: some Sequence<DocumentItem>) -> [String] { items.map(\.filename).sorted() }

  @Test func `finds packages and files by type, and says what they are`() async throws {
    try scratch.makePackage("A 1.2.dnote")
    try scratch.makePackage("Folder/Inner/B.dnote")
    try scratch.makeSaved("Folder/Saved")
    try scratch.makeFolder("Folder/Cut short/.docpkg")
    try scratch.write("12345", to: "Folder/c.txt")
    for name in [".hidden.txt", "c.txt~", "~$c.txt", "4913", "Thumbs.db"] {
      try scratch.write("x", to: name)
    }
    try scratch.makePackage(".hidden/D.dnote")
    let all = await DocumentSearch(in: [scratch.url("")], sortedBy: .name).documents()
    #expect(all.problems.isEmpty)
    #expect(all.items.map(\.filename) == ["A 1.2.dnote", "B.dnote", "Saved", "c.txt"])
    #expect(all.items.map(\.displayName) == ["A 1.2", "B", "Saved", "c"])
    #expect(
      all.items.map(\.contentType) == [DiscoveryScratch.note, DiscoveryScratch.note, .package, .plainText])
    #expect(all.items.map(\.isPackage) == [true, true, true, false])
    #expect(all.items.map(\.size) == [nil, nil, nil, 5])
    #expect(all.items[1].url.path == scratch.text("Folder/Inner/B.dnote"))
    var search = DocumentSearch(in: [scratch.url("")], for: [DiscoveryScratch.note])
    #expect(await names(search.documents().items) == ["A 1.2.dnote", "B.dnote"])
    search.isRecursive = false
    #expect(await names(search.documents().items) == ["A 1.2.dnote"])
    search = DocumentSearch(in: [scratch.url("")], for: [.text]) { ($0.size ?? 0) > 4 }
    #expect(await names(search.documents().items) == ["c.txt"])
  }

  @Test func `says that no extension tells a type`() async throws {
    try scratch.makePackage("A.dnote")
    let unknown = UTType(exportedAs: "org.example.no-extension", conformingTo: .package)
    let query = DocumentQuery(
      DocumentSearch(in: [scratch.url("")], for: [unknown, DiscoveryScratch.note]), watching: false)
    query.start()
    await query.update()
    guard case .startedGathering? = query.takeUpdate(),
      case .typesWithoutExtension(let types)? = query.takeUpdate(),
      case .gathered(let items)? = query.takeUpdate()
    else {
      Issue.record("the query has to tell the types first")
      return
    }
    #expect(types == [unknown] && names(items) == ["A.dnote"])
    await query.stop()
    // Types whose documents another type's extension tells, and those of names that tell nothing.
    let told: [UTType] = [.image, .package, .bundle, .data, .item, .content, DiscoveryScratch.note]
    #expect(DocumentSearch(in: [], for: told).typesWithoutExtension.isEmpty)
    let declared = UTType(
      exportedAs: "org.example.declared-extension", conformingTo: .package, filenameExtension: "dextension")
    #expect(DocumentSearch(in: [], for: [declared]).typesWithoutExtension.isEmpty)
  }

  @Test func `gives titles for five requests to the disk each`() async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    var metadata = PackageMetadata()
    metadata.displayName = "Three valleys"
    tree.addRegularFile(withContents: try metadata.encoded(), preferredFilename: "Metadata.plist")
    try tree.write(to: scratch.url("A.dnote"), originalContentsURL: nil)
    try scratch.makePackage("B.dnote")
    try scratch.write("x", to: "c.txt")
    let found = await DocumentSearch(in: [scratch.url("")], sortedBy: .name).documents().items
    var titles: [String] = []
    for item in found { titles.append(try await item.title()) }
    #expect(titles == ["Three valleys", "B", "c"])
    let disk = CountingDisk(PosixDisk())
    #expect(try await found[0].metadata(on: disk)?.displayName == "Three valleys")
    #expect(disk.counts.total == 5, "\(disk.counts)")
  }

  @Test func `takes a directory for a package where its extension is said to be one`() async throws {
    for name in ["a.qqbook", "b.QQBook", "c.dnote", "d.other"] {
      try scratch.makeFolder(name)
      try scratch.write("x", to: name + "/inside.txt")
    }
    var search = DocumentSearch(in: [scratch.url("")], sortedBy: .name)
    #expect(await names(search.documents().items) == ["c.dnote", "inside.txt", "inside.txt", "inside.txt"])
    search.packageExtensions = ["QQbook"]
    let items = await search.documents().items
    #expect(items.map(\.filename) == ["a.qqbook", "b.QQBook", "c.dnote", "inside.txt"])
    #expect(items.prefix(2).allSatisfy { $0.isPackage && $0.contentType.conforms(to: .package) })
    #expect(items.map(\.displayName) == ["a", "b", "c", "inside"])
    search.contentTypes = [.data]
    #expect(await search.documents().items.map(\.path) == [scratch.text("d.other/inside.txt")])
    // A watching query finds the same.
    search.contentTypes = [.package]
    var (query, heard) = await started(search)
    try scratch.makeFolder("e.qqbook")
    await heard.update(query)
    #expect(Set(heard.items.keys) == Set(["a.qqbook", "b.QQBook", "c.dnote", "e.qqbook"].map(scratch.text)))
    await query.stop()
  }

  @Test func `tells when a plain folder becomes a package, and the reverse`() async throws {
    try scratch.makeFolder("Plain/.docpkg")
    var (query, heard) = await started(DocumentSearch(in: [scratch.url("")], for: [.package]))
    #expect(heard.items.isEmpty)
    try scratch.write("plist", to: "Plain/Metadata.plist")
    await heard.update(query)
    #expect(heard.items.keys.map { $0 } == [scratch.text("Plain")])
    try scratch.remove("Plain/Metadata.plist")
    await heard.update(query)
    #expect(heard.items.isEmpty && heard.counts.added == 1 && heard.counts.removed == 1)
    await query.stop()
  }

  @Test
  func `asks for the status of each document once, and looks once for the signs of a package in a folder`()
    async throws
  {
    for number in 0..<40 {
      let folder = "Folder \(number % 4)"
      try scratch.makeFolder("\(folder)/\(number).dnote")
      try scratch.makeFolder("\(folder)/\(number).fcpbundle")
      try scratch.makeFolder("\(folder)/\(number).qqbook")
      try scratch.write("x", to: "\(folder)/\(number).txt")
    }
    for types: [UTType] in [[], [.package], [DiscoveryScratch.note], [.spreadsheet]] {
      var search = DocumentSearch(in: [scratch.url("")], for: types)
      search.packageExtensions = ["qqbook"]
      let disk = CountingDisk(PosixDisk())
      let query = DocumentQuery(search, watching: false, on: disk)
      query.start()
      await query.update()
      let (folders, counts) = (4, disk.counts)
      #expect(
        query.resultCount
          == (types.isEmpty ? 160 : types == [.package] ? 120 : types == [.spreadsheet] ? 0 : 40))
      // The query opens each folder through the searched folder, and checks that it is the same folder.
      #expect(counts[.openDirectory] == 1 + 2 * folders && counts[.list] == 1 + folders)
      #expect(counts[.status] == query.resultCount + (1 + folders) + folders, "\(types)")
      #expect(counts.total == counts[.openDirectory] + counts[.list] + counts[.status])
      await query.stop()
    }
  }

  @Test func `reads metadata when it is asked to`() async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    let store = try await PackageStore.create(
      tree, at: scratch.url("A.dnote"), contentType: DiscoveryScratch.note
    ).store
    try scratch.makeFolder("B.dnote")
    try scratch.makePackage("C.dnote")
    try scratch.write("no plist", to: "C.dnote/Metadata.plist")
    let items = await DocumentSearch(in: [scratch.url("")], sortedBy: .name).documents().items
    #expect(try await items[0].metadata()?.identifier == store.metadata()?.identifier)
    #expect(try await items[1].metadata() == nil)
    await expect(\FilePackageError.code, .metadataDamaged) { try await items[2].metadata() }
  }

  @Test func `tells a save, a rename, a replacement, a coming and a going, each as what it is`() async throws
  {
    // The renamed document is one move, and not one that went and one that came (Q4).
    for name in ["One/A.dnote", "One/B.dnote", "One/C.dnote", "One/D.dnote"] {
      try scratch.makePackage(name)
    }
    try scratch.makeFolder("Two")
    try scratch.makePackage("Outside/E.dnote")
    try scratch.makePackage("Outside/F.dnote")
    var (query, heard) = await started(DocumentSearch(in: [scratch.url("One"), scratch.url("Two")]))
    try scratch.save("One/A.dnote")
    try scratch.rename("One/B.dnote", "Two/G.dnote")
    try scratch.exchange("One/C.dnote", "Outside/E.dnote")
    try scratch.rename("One/D.dnote", "Outside/D.dnote")
    try scratch.rename("Outside/F.dnote", "One/F.dnote")
    await query.update()
    let update = query.takeUpdate()
    guard case .updated(let changes) = update else {
      Issue.record("\(update as Any)")
      return
    }
    let lines = [
      "removed One/D.dnote", "moved One/B.dnote -> Two/G.dnote", "changed One/A.dnote",
      "changed One/C.dnote",
      "added One/F.dnote",
    ]
    let described = "\(changes)".replacing(scratch.text(""), with: "").split(separator: "\n").map(String.init)
    // The changed documents have no order.
    #expect(
      described.sorted() == lines.sorted() && described.first == lines.first && described.last == lines.last
    )
    #expect("\(try #require(update))" == "\(changes)")
    #expect(names(changes.changed) == ["A.dnote", "C.dnote"])
    #expect(changes.moved.map(\.old.path) == [scratch.text("One/B.dnote")])
    #expect(changes.moved.map(\.new.path) == [scratch.text("Two/G.dnote")])
    #expect(changes.moved[0].old.inode == changes.moved[0].new.inode)
    #expect(names(changes.removed) == ["D.dnote"] && names(changes.added) == ["F.dnote"])
    // A write in place changes no date of the package.
    try scratch.write("other", to: "One/A.dnote/Text.txt")
    await query.update()
    heard.hear(.updated(changes))
    heard.hear(query)
    #expect(heard.counts.changed == 3)
    // A renamed folder moves its documents.
    try scratch.rename("Two", "One/Inner")
    await heard.update(query)
    #expect(heard.counts.moved == 2 && heard.problems == [scratch.text("Two"): .noSuchFile])
    #expect(heard.items.keys.contains(scratch.text("One/Inner/G.dnote")))
    await query.stop()
  }

  @Test func `loses nothing of a storm of renames`() async throws {
    // A change during a look is in the list or comes as an event (Q1).
    let count = ProcessInfo.processInfo.environment["MOVE_STORM"].flatMap(Int.init) ?? 10_000
    for name in ["One", "Two"] { try scratch.makeFolder(name) }
    for number in 0..<1_000 { try scratch.makeFolder("One/\(number).dnote") }
    let query = DocumentQuery(DocumentSearch(in: [scratch.url("One"), scratch.url("Two")]), options: .hasty)
    let known = await HeardResults(starting: query)
    let listening = Task { [known] in
      var heard = known
      for await update in query { heard.hear(update) }
      return heard
    }
    // Every document moves again and again while the query looks.
    var places = (0..<1_000).map { "One/\($0).dnote" }
    for step in 0..<count {
      let new = "\(step % 2 == 0 ? "Two" : "One")/\(step % 1_000) \(step / 1_000).dnote"
      try scratch.rename(places[step % 1_000], new)
      places[step % 1_000] = new
    }
    await query.update()
    #expect(Set(query.results.map(\.path)) == Set(places.map(scratch.text)))
    await query.stop()
    let heard = await listening.value
    #expect(Set(heard.items.keys) == Set(places.map(scratch.text)))
    #expect(heard.counts.added == 0 && heard.counts.removed == 0 && heard.counts.moved >= 1_000)
  }

  @Test func `merges what nobody has asked for, and holds it back while updates are disabled`() async throws {
    try scratch.makePackage("A.dnote")
    try scratch.makePackage("B.dnote")
    var (query, heard) = await started(DocumentSearch(in: [scratch.url("")]))
    query.disableUpdates()
    for (old, new) in [("A", "X"), ("X", "Y"), ("Y", "A"), ("B", "C"), ("C", "D")] {
      try scratch.rename("\(old).dnote", "\(new).dnote")
      await query.update()
    }
    try scratch.makePackage("Gone.dnote")
    await query.update()
    try scratch.remove("Gone.dnote")
    await query.update()
    #expect(query.takeUpdate() == nil && names(query.results) == ["A.dnote", "B.dnote"])
    query.enableUpdates()
    #expect(names(query.results) == ["A.dnote", "D.dnote"])
    heard.hear(query)
    #expect(heard.counts == (0, 1, 1, 0), "A is where it was, B moved, and the other was never there")
    await query.stop()
  }

  @Test func `begins anew with another search, and keeps its results when it is stopped`() async throws {
    try scratch.makePackage("A.dnote")
    try scratch.write("text", to: "b.txt")
    var (query, heard) = await started(DocumentSearch(in: [scratch.url("")]))
    #expect(!query.start() && query.phase == .live && heard.items.count == 2)
    query.search.contentTypes = [.text]
    await heard.update(query)
    #expect(heard.items.keys.map { $0 } == [scratch.text("b.txt")])
    await query.stop()
    #expect(await query.watchCount == 0)
    try scratch.remove("b.txt")
    #expect(query.phase == .stopped && query.results.count == 1)
    for await _ in query { Issue.record("nothing more is told") }
    query.search.contentTypes = []
    #expect(query.start())
    await query.update()
    #expect(names(query.results) == ["A.dnote"])
    await query.stop()
  }

  @Test func `waits for a folder that is not there, and finds it again`() async throws {
    let query = DocumentQuery(DocumentSearch(in: [scratch.url("Later/Deep")]), options: .hasty)
    query.start()
    var heard = HeardResults()
    var updates = query.makeAsyncIterator()
    func hear(until condition: (HeardResults) -> Bool) async {
      while !condition(heard) {
        guard let update = await updates.next() else { return }
        heard.hear(update)
      }
    }
    let folder = scratch.text("Later/Deep")
    await hear { $0.problems[folder] == .noSuchFile && !$0.isGathering }
    try scratch.makePackage("Later/Deep/A.dnote")
    await hear { $0.problems.isEmpty && $0.items.count == 1 }
    try scratch.rename("Later", "Elsewhere")
    await hear { $0.problems[folder] == .noSuchFile && $0.items.isEmpty }
    try scratch.makePackage("Later/Deep/B.dnote")
    await hear { $0.problems.isEmpty && $0.items.keys.contains(folder + "/B.dnote") }
    await query.stop()
  }
}
