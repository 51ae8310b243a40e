import Documents
import DurableIO
import FilePackages
import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("A content that reads and writes by URL", .tags(.process))
struct URLDocumentContentTests {
  /// A recording: an index by a library that wants a path, and samples that no code reads.
  struct Recording: URLDocumentContent, Equatable {
    static var readableContentTypes: [UTType] {
      [UTType(exportedAs: "org.example.recording", conformingTo: .package)]
    }
    var index: String
    /// The way of the samples into the next state.
    var samples = Samples.kept
    /// The number of files after which writing fails.
    var failure = Int.max

    enum Samples: Equatable { case kept, linked, written(String), left }
    struct Failure: Error {}

    init(_ index: String, _ samples: Samples) { (self.index, self.samples) = (index, samples) }

    init(from url: URL, configuration: URLReadConfiguration) throws {
      index = try String(contentsOf: url.appending(path: "Index.txt"), encoding: .utf8)
    }

    func write(to url: URL, configuration: URLWriteConfiguration) throws {
      try FileManager.default.createDirectory(
        at: url.appending(path: "Media"), withIntermediateDirectories: true)
      if failure == 0 { throw Failure() }
      try Data(index.utf8).write(to: url.appending(path: "Index.txt"))
      if failure == 1 { throw Failure() }
      let place = url.appending(path: "Media/Samples")
      switch samples {
      case .kept: configuration.keep("Media/Samples")
      case .linked:
        let original = try #require(configuration.originalContentsURL)
        try FileManager.default.linkItem(at: original.appending(path: "Media/Samples"), to: place)
      case .written(let bytes): try Data(bytes.utf8).write(to: place)
      case .left: break
      }
      if failure == 2 { throw Failure() }
    }
  }

  /// A content of one file.
  struct Table: URLDocumentContent, Equatable {
    static var readableContentTypes: [UTType] { [.plainText] }
    var rows: String
    init(_ rows: String) { self.rows = rows }
    init(from url: URL, configuration: URLReadConfiguration) throws {
      rows = try String(contentsOf: url, encoding: .utf8)
    }
    func write(to url: URL, configuration: URLWriteConfiguration) throws {
      try Data(rows.utf8).write(to: url)
    }
  }

  private func withRecording(
    _ body: (Document<Recording>, FilePath) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let url = URL(filePath: folder.appending("A.recording").string, directoryHint: .isDirectory)
      let recovery = URL(filePath: folder.appending("Recovery").string, directoryHint: .isDirectory)
      let document = try await Document.create(
        Recording("one", .written("samples")), at: url, options: .quiet(recovery))
      try await document.edit { $0.samples = .kept }
      try await document.save()
      try await document.synchronize()
      try await body(document, folder)
    }
  }

  private func text(_ path: String, in folder: FilePath) throws -> String {
    try String(contentsOf: URL(filePath: folder.appending(path).string), encoding: .utf8)
  }

  private func names(in folder: FilePath) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.string).sorted()
  }

  private func inode(_ path: String, in folder: FilePath) throws -> UInt64 {
    try PosixDisk().status(of: FileName(path), in: PosixDisk().openDirectory(at: folder)).identity.inode
  }

  @Test func `is saved by what it wrote, and leaves what it keeps`() async throws {
    try await withRecording { document, folder in
      let media = folder.appending("A.recording/Media")
      let before = try inode("Samples", in: media)
      try await document.edit { $0.index = "two" }
      let report = try await document.save()
      #expect(report.written == ["Index.txt", "Metadata.plist"])
      try await document.synchronize()
      #expect(try text("A.recording/Index.txt", in: folder) == "two")
      #expect(try inode("Samples", in: media) == before)
      // No written file is left beside the document.
      #expect(try names(in: folder) == ["A.recording"])
      try await document.close()
      let again = try await Document<Recording>.open(
        at: URL(filePath: folder.appending("A.recording").string), options: .quiet(nil))
      #expect(try await again.content.index == "two")
    }
  }

  @Test func `may link what stays, write it anew, or leave it out`() async throws {
    try await withRecording { document, folder in
      let media = folder.appending("A.recording/Media")
      let before = try inode("Samples", in: media)
      try await document.edit { ($0.index, $0.samples) = ("two", .linked) }
      #expect(try await document.save().written == ["Index.txt", "Metadata.plist"])
      try await document.synchronize()
      #expect(try inode("Samples", in: media) == before)
      try await document.edit { $0.samples = .written("others") }
      #expect(try await document.save().written.contains("Media/Samples"))
      try await document.synchronize()
      #expect(try text("A.recording/Media/Samples", in: folder) == "others")
      try await document.edit { $0.samples = .left }
      #expect(try await document.save().removed == ["Media/Samples"])
      try await document.synchronize()
      #expect(try names(in: media) == [])
      try await document.undo()
      try await document.save()
      try await document.synchronize()
      #expect(try text("A.recording/Media/Samples", in: folder) == "others")
    }
  }

  @Test(arguments: 0..<3)
  func `that fails leaves the document, and the edits in memory`(failure: Int) async throws {
    try await withRecording { document, folder in
      try await document.edit { ($0.index, $0.samples, $0.failure) = ("two", .written("x"), failure) }
      let error = await #expect(throws: DocumentError.self) { try await document.save() }
      #expect(error?.code == .content && error?.cause is Recording.Failure)
      #expect(error?.hasUnsavedChanges == true)
      #expect(await document.documentState == .savingError)
      #expect(try text("A.recording/Index.txt", in: folder) == "one")
      #expect(try text("A.recording/Media/Samples", in: folder) == "samples")
      #expect(try names(in: folder) == ["A.recording"])
      try await document.edit { $0.failure = .max }
      try await document.save()
      try await document.close()
      #expect(try text("A.recording/Index.txt", in: folder) == "two")
      #expect(try text("A.recording/Media/Samples", in: folder) == "x")
    }
  }

  // Another program writes into a file, which keeps its name and its folder's date.
  @Test func `keeps what another program wrote into a file since it was read`() async throws {
    try await withRecording { document, folder in
      try await document.close()
      let path = folder.appending("A.recording")
      let again = try await Document<Recording>.open(
        at: URL(filePath: path.string), options: .quiet(nil) { $0.watchesDisk = false })
      try Data("another".utf8).write(to: URL(filePath: path.appending("Index.txt").string))
      try Data("takes".utf8).write(to: URL(filePath: path.appending("Media/Samples").string))
      try await again.edit { ($0.index, $0.samples) = ("two", .written("own")) }
      try await again.save()
      #expect(await again.documentState.contains(.inConflict))
      try await again.close()
      #expect(try text("A.recording/Index.txt", in: folder) == "two")
      #expect(try text("A.recording/Media/Samples", in: folder) == "own")
      let version = try #require(try names(in: path.appending(".docpkg/conflicts")).first)
      #expect(try text("A.recording/.docpkg/conflicts/\(version)/Index.txt", in: folder) == "another")
      #expect(try text("A.recording/.docpkg/conflicts/\(version)/Media/Samples", in: folder) == "takes")
    }
  }

  @Test func `meets no conflict with what it links, writes anew and leaves out itself`() async throws {
    try await withRecording { document, folder in
      try await document.close()
      let url = URL(filePath: folder.appending("A.recording").string)
      let again = try await Document<Recording>.open(at: url, options: .quiet(nil))
      for (round, samples) in [Recording.Samples.linked, .kept, .written("a"), .linked, .left, .written("b")]
        .enumerated()
      {
        try await again.edit { ($0.index, $0.samples) = ("\(round)", samples) }
        let report = try await again.save()
        #expect(report.conflicts == [] && report.warnings.isEmpty)
        if round % 2 == 0 { try await again.revert(toContentsOf: url) }
      }
      #expect(await again.documentState == .normal)
      try await again.close()
      #expect(try text("A.recording/Media/Samples", in: folder) == "b")
    }
  }

  @Test func `that is killed leaves the document, and what it wrote goes with the next save`() async throws {
    try await withRecording { document, folder in
      try await document.close()
      // An exit test takes only the environment from around it.
      setenv("RECORDING", folder.appending("A.recording").string, 1)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        struct Killed: URLDocumentContent {
          static var readableContentTypes: [UTType] { Recording.readableContentTypes }
          init(from url: URL, configuration: URLReadConfiguration) {}
          func write(to url: URL, configuration: URLWriteConfiguration) throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
            try Data("half".utf8).write(to: url.appending(path: "Index.txt"))
            raise(SIGKILL)
          }
        }
        let path = try #require(ProcessInfo.processInfo.environment["RECORDING"])
        let document = try await Document<Killed>.open(at: URL(filePath: path), options: .quiet(nil))
        await document.updateChangeCount(.done)
        try await document.save()
      }
      #expect(try text("A.recording/Index.txt", in: folder) == "one")
      #expect(try names(in: folder).count == 2)
      let again = try await Document<Recording>.open(
        at: URL(filePath: folder.appending("A.recording").string), options: .quiet(nil))
      #expect(try await again.content.index == "one")
      try await again.edit { $0.index = "two" }
      try await again.close()
      #expect(try names(in: folder) == ["A.recording"])
      #expect(try text("A.recording/Index.txt", in: folder) == "two")
      #expect(try text("A.recording/Media/Samples", in: folder) == "samples")
    }
  }

  @Test func `is a single file where it writes one`() async throws {
    try await withTemporaryDirectory { folder in
      let url = URL(filePath: folder.appending("A.txt").string)
      let document = try await Document.create(Table("1"), at: url, options: .quiet(nil))
      try await document.edit { $0.rows = "2" }
      #expect(try await document.save().written == ["A.txt"])
      #expect(try names(in: folder) == ["A.txt"])
      #expect(try text("A.txt", in: folder) == "2")
      try await document.revert(toContentsOf: url)
      #expect(try await document.content == Table("2"))
      let other = URL(filePath: folder.appending("B.txt").string)
      try await document.save(to: other, for: .forCreating)
      #expect(try names(in: folder) == ["A.txt", "B.txt"])
    }
  }

  @Test func `has recovery copies, and reads them again`() async throws {
    try await withRecording { document, folder in
      let path = folder.appending("A.recording")
      try await document.edit { $0.index = "two" }
      // Another program's folder has the name of the file, so that the save is refused.
      let disk = PosixDisk()
      let package = try disk.openDirectory(at: path)
      try disk.removeFile("Index.txt", in: package)
      try disk.makeDirectory("Index.txt", in: package, mode: 0o755)
      let error = await #expect(throws: DocumentError.self) { try await document.save() }
      let copy = try #require(error?.recoveryCopy)
      #expect(try text("Contents/Index.txt", in: FilePath(copy.path)) == "two")
      try await document.close(discardingChanges: true)
      try disk.removeDirectory("Index.txt", in: package)
      try disk.makeFile("Index.txt", Array("one".utf8), in: package)
      let again = try await Document<Recording>.open(
        at: URL(filePath: path.string),
        options: .quiet(URL(filePath: folder.appending("Recovery").string, directoryHint: .isDirectory)))
      try await again.recover(try #require(await again.recoveryCopies.first))
      #expect(try await again.content.index == "two")
      try await again.close()
      #expect(try text("A.recording/Index.txt", in: folder) == "two")
      #expect(try text("A.recording/Media/Samples", in: folder) == "samples")
    }
  }

  @Test func `is read from and written to a disk that has no URLs`() async throws {
    let disk = try CrashDisk()
    let document = try await DocumentFixture<Recording>.create(
      Recording("one", .written("samples")), on: disk)
    try await document.edit { ($0.index, $0.samples) = ("two", .kept) }
    try await document.close()
    let again = try await DocumentFixture<Recording>.open(on: disk)
    #expect(try await again.content.index == "two")
    #expect(try disk.text("Samples", in: "/Trip.pages/Media") == "samples")
  }
}
