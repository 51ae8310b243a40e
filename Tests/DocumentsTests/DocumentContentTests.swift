import Documents
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

/// A model as an application has it for SwiftUI.
private struct Drawing: DocumentContent {
  static var readableContentTypes: [UTType] {
    [UTType(exportedAs: "org.example.sketch", conformingTo: .package)]
  }

  var strokes: Data

  init(strokes: Data) { self.strokes = strokes }

  init(configuration: ReadConfiguration) throws {
    strokes = try configuration.file.child(named: "Strokes")?.contents() ?? Data()
  }

  func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    if let old = try tree.child(named: "Strokes") {
      if try old.contents() == strokes { return tree }
      tree.removeFileWrapper(old)
    }
    tree.addRegularFile(withContents: strokes, preferredFilename: "Strokes")
    return tree
  }
}

@Suite("A document's content")
struct DocumentContentTests {
  @Test func `is written, read again, and written only where it changed`() async throws {
    try await withTemporaryDirectory { folder in
      let url = URL(filePath: folder.appending("A.sketch").string)
      let (package, made) = try await PackageStore.create(Drawing(strokes: Data([1])), at: url)
      #expect(made.written == ["Metadata.plist", "Strokes"])
      #expect(await package.contentType == Drawing.readableContentTypes[0])

      let again = try await PackageStore.open(at: url)
      var sketch: Drawing = try await again.content()
      #expect(sketch.strokes == Data([1]))
      #expect(try await again.save(sketch).strategy == .none)
      sketch.strokes = Data([2, 3])
      #expect(try await again.plan(sketch).lines.contains { $0.hasPrefix("write Strokes") })
      #expect(try await again.save(sketch).written == ["Metadata.plist", "Strokes"])
      let last: Drawing = try await PackageStore.open(at: url).content()
      #expect(last.strokes == Data([2, 3]))
    }
  }

  @Test func `can be tested without a document`() throws {
    let type = Drawing.writableContentTypes[0]
    let tree = try Drawing(strokes: Data([7])).fileWrapper(
      configuration: .init(contentType: type, existingFile: nil))
    #expect(try Drawing(configuration: .init(contentType: type, file: tree)).strokes == Data([7]))
  }

  @Test func `has the type its package's name tells where there is no metadata`() async throws {
    try await withTemporaryDirectory { folder in
      let url = URL(filePath: folder.appending("Letter.rtfd").string)
      _ = try await PackageStore.create(
        FileWrapper(directoryWithFileWrappers: [:]), at: url, contentType: nil)
      #expect(try await PackageStore.open(at: url).contentType == .rtfd)
    }
  }
}

@Suite("A filename by convention")
struct FilenameConventionTests {
  @Test func `takes the first free number, whatever the case`() {
    let taken = ["Notes 1.imageNotes", "NOTES 2.IMAGENOTES", "Notes 4.imageNotes", "Other.txt"]
    let name = FilenameConvention.sequence("Notes").name(amongst: taken, extension: "imageNotes")
    #expect(name == "Notes 3")
    #expect(FilenameConvention.sequence("Notes").name(amongst: [], extension: "imageNotes") == "Notes 1")
  }

  @Test func `is a time without colons, numbered where it is taken`() {
    let time = Date(timeIntervalSince1970: 1_795_271_109)
    let name = FilenameConvention.timestamp.name(amongst: [], extension: "x", now: time)
    #expect(name == "2026-11-21 14.25.09")
    let second = FilenameConvention.timestamp.name(amongst: ["\(name).x"], extension: "x", now: time)
    #expect(second == "2026-11-21 14.25.09 2")
  }

  @Test func `is a UUID`() {
    #expect(UUID(uuidString: FilenameConvention.uuid.name(amongst: [], extension: "x")) != nil)
  }
}
