import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("A package that was exported and imported", .tags(.process), .temporaryDirectory)
struct RoundTripTests {
  /// The properties that a format keeps beside names, contents, kinds and links.
  struct Survival: Sendable, CustomTestStringConvertible {
    var format: ArchiveFormat
    /// The precision of dates in nanoseconds.
    var nanoseconds: UInt32
    var keepsAttributes = false

    var testDescription: String { format.rawValue }
  }

  static let survivals: [Survival] = [
    Survival(format: .zip, nanoseconds: 100),
    Survival(format: .tar, nanoseconds: 1, keepsAttributes: true),
    Survival(format: .tarGzip, nanoseconds: 1, keepsAttributes: true),
    Survival(format: .tarXZ, nanoseconds: 1, keepsAttributes: true),
    Survival(format: .tarZstd, nanoseconds: 1, keepsAttributes: true),
  ]

  @Test(arguments: survivals)
  func `has the same names, contents, permissions and links`(_ survival: Survival) async throws {
    let report = try await fixture.makeArchive("a", of: ArchiveFixture.treeWithBytes, as: survival.format)
    let taken = try await fixture.take("a")
    #expect(taken.entries == report.entries - 1 && taken.bytes == report.bytes && taken.leftOut.isEmpty)
    #expect(try fixture.tree("Back.pack") == fixture.tree("Trip.pack"))
    #expect(try fixture.names == ["Trip.pack", "Back.pack", "a"])
  }

  @Test(arguments: survivals)
  func `has the same dates, as finely as the format has them`(_ survival: Survival) async throws {
    try fixture.makePackage(["a.txt": "a", "Folder": ["b.txt": "b"], "link": .link(Array("a.txt".utf8))])
    let disk = PosixDisk()
    try disk.setModified(
      FileTime(seconds: 1_234_567_890, nanoseconds: 987_654_321), of: "a.txt",
      in: disk.openDirectory(at: fixture.folder.appending("Trip.pack")))
    try await fixture.export("a", as: survival.format)
    try await fixture.take("a")
    let expected = try fixture.dates("Trip.pack").mapValues { time in
      FileTime(
        seconds: time.seconds, nanoseconds: time.nanoseconds / survival.nanoseconds * survival.nanoseconds)
    }
    #expect(try fixture.dates("Back.pack") == expected)
  }

  @Test(arguments: survivals)
  func `has notes of its children if it is a document, so that an edit of another program is no damage`(
    _ survival: Survival
  ) async throws {
    let disk = PosixDisk()
    let tree = FileWrapper(directoryWithFileWrappers: [
      "a.txt": FileWrapper(regularFileWithContents: Data("a".utf8)),
      "Folder": FileWrapper(directoryWithFileWrappers: [
        "b.txt": FileWrapper(regularFileWithContents: Data("b".utf8))
      ]),
    ])
    try await PackageStore.create(tree, at: fixture.package, contentType: .package).store.close()
    try await fixture.export("a", as: survival.format)
    try await fixture.take("a")
    // The log changes no date.
    func seconds(_ name: String) throws -> [String: Int64] {
      try fixture.dates(name).filter { !$0.key.contains(".docpkg") }.mapValues(\.seconds)
    }
    #expect(try seconds("Back.pack") == seconds("Trip.pack"))
    let back = fixture.folder.appending("Back.pack")
    let store = try await PackageStore.open(at: fixture.url("Back.pack"))
    #expect(try await store.verify().isWhole)
    try Data("edited".utf8).write(to: fixture.url("Back.pack/Folder/b.txt"))
    let changed = try await store.verify()
    #expect(changed.isWhole && changed.changed == ["Folder/b.txt"], "\(changed)")
    try disk.rot("a.txt", in: back)
    let rotten = try await store.verify()
    #expect(!rotten.isWhole && rotten.damaged == ["a.txt"], "\(rotten)")
  }

  @Test func `has the log that came with its history`() async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [
      "a.txt": FileWrapper(regularFileWithContents: Data("a".utf8))
    ])
    let original = try await PackageStore.create(tree, at: fixture.package, contentType: .package).store
    tree.addRegularFile(withContents: Data("b".utf8), preferredFilename: "b.txt")
    try await original.save(options: .keepsHistory)
    let versions = try await original.versions().map(\.persistentIdentifier)
    #expect(!versions.isEmpty)
    try await original.close()
    try await fixture.export("a", as: .zip, options: with(.init()) { $0.includesHistory = true })
    try await fixture.take("a", options: with(.init()) { $0.includesHistory = true })
    let store = try await PackageStore.open(at: fixture.url("Back.pack"))
    #expect(try await store.verify().isWhole)
    #expect(try await store.versions().map(\.persistentIdentifier) == versions)
  }

  @Test func `gets its notes whole, or none if that is cancelled`() async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [
      "a.txt": FileWrapper(regularFileWithContents: Data("a".utf8))
    ])
    try await PackageStore.create(tree, at: fixture.package, contentType: .package).store.close()
    try FileManager.default.removeItem(at: fixture.package.appending(path: ".docpkg"))
    let location = Location(fixture.folder.appending("Trip.pack"), on: PosixDisk())
    let error = #expect(throws: FilePackageError.self) {
      try PackageWriter.noteChildren(at: location, unless: { true })
    }
    #expect(error?.code == .cancelled)
    #expect(try fixture.tree("Trip.pack").entries[".docpkg"] == nil)
    #expect(try PackageWriter.noteChildren(at: location, unless: { false }))
    #expect(try fixture.tree("Trip.pack").entries[".docpkg"] != nil)
  }

  @Test func `has no notes if its children are not those of its last save`() async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [
      "a.txt": FileWrapper(regularFileWithContents: Data("a".utf8))
    ])
    try await PackageStore.create(tree, at: fixture.package, contentType: .package).store.close()
    try PosixDisk().rot("a.txt", in: fixture.folder.appending("Trip.pack"))
    try await fixture.export("a", as: .zip)
    try await fixture.take("a")
    #expect(try fixture.tree("Back.pack").entries[".docpkg"] == nil)
    let store = try await PackageStore.open(at: fixture.url("Back.pack"))
    #expect(try await !store.verify().isWhole)
  }

  @Test(arguments: survivals)
  func `has its extended attributes where the format knows any`(_ survival: Survival) async throws {
    try fixture.makePackage(["a.txt": "a", "Folder": [:]])
    let disk = PosixDisk()
    let value: [UInt8] = [0, 0xFF, 10, 61]
    guard try setAttribute("user.tag", value, in: fixture) else { return }
    try await fixture.export("a", as: survival.format)
    try await fixture.take("a")
    let back = try disk.openFile("a.txt", in: disk.openDirectory(at: fixture.folder.appending("Back.pack")))
    #expect(try disk.extendedAttributes(of: back) == (survival.keepsAttributes ? ["user.tag": value] : [:]))
    let inner = try disk.openDirectory(at: fixture.folder.appending("Back.pack/Folder"))
    #expect(try disk.extendedAttributes(of: inner) == (survival.keepsAttributes ? ["user.tag": value] : [:]))
  }

  /// Sets attributes; returns false on a disk without extended attributes.
  private func setAttribute(_ name: String, _ value: [UInt8], in fixture: ArchiveFixture) throws -> Bool {
    let disk = PosixDisk()
    let package = try disk.openDirectory(at: fixture.folder.appending("Trip.pack"))
    let file = try disk.openFileForWriting("a.txt", in: package)
    do throws(SystemError) {
      try disk.setExtendedAttribute(name, value, of: file)
      let inner = try disk.openDirectory(at: fixture.folder.appending("Trip.pack/Folder"))
      try disk.setExtendedAttribute(name, value, of: inner)
      return true
    } catch {
      if error.code == .notSupported { return false }
      throw error
    }
  }

  @Test(arguments: survivals)
  func `has no program that runs as somebody else, and no owner`(_ survival: Survival) async throws {
    try fixture.makePackage([
      "program": .file([1], mode: 0o755), "Folder": ["other": .file([2], mode: 0o755)],
    ])
    // A change of a file clears such bits, so the test sets them last.
    for (name, mode) in [("program", UInt16(0o4755)), ("Folder/other", 0o2755), ("Folder", 0o3777)] {
      #expect(chmod(fixture.folder.appending("Trip.pack/\(name)").string, mode_t(mode)) == 0)
    }
    for uniform in [nil, ExportOptions.earliestDate] {
      let exporting = with(ExportOptions()) { $0.uniformDate = uniform }
      let report = try await fixture.export("a", as: survival.format, options: exporting)
      #expect(report.privileged == ["Folder/other", "program"])
      #expect(report.description.hasSuffix(", without set-user-ID and set-group-ID: Folder/other, program"))
      #expect(try await fixture.take("a").privileged.isEmpty)
      for name in ["program", "Folder/other", "Folder"] {
        var status = stat()
        #expect(stat(fixture.folder.appending("Back.pack/\(name)").string, &status) == 0)
        #expect(status.st_mode & 0o7000 == 0)
      }
      try FileManager.default.removeItem(at: fixture.url("Back.pack"))
    }
  }

  @Test(arguments: [ArchiveFormat.tar, .tarZstd])
  func `is given to nobody by a tar`(_ format: ArchiveFormat) async throws {
    guard Program.installed("bsdtar") != nil else { return }
    try fixture.makePackage(["a.txt": "a", "Folder": [:]])
    // Only the superuser can give files away. For other users the test proves nothing about owners.
    _ = chown(fixture.folder.appending("Trip.pack/a.txt").string, 4711, 4712)
    try await fixture.export("a", as: format)
    let listed = try run("bsdtar", ["tvf", "a", "--numeric-owner"], in: fixture.folder).output
    let owners = listed.split(separator: "\n").map { $0.split(separator: " ")[2...3].joined(separator: " ") }
    #expect(owners == ["0 0", "0 0", "0 0"], "\(listed)")
  }

  @Test func `is refused by a format that cannot hold a name, and nothing is left`() async throws {
    try fixture.makePackage(ArchiveFixture.treeWithBytes)
    await expect(\ArchiveError.code, .notRepresentable) { try await fixture.export("a.7z") }
    #expect(try fixture.names == ["Trip.pack"])
  }

  @Test(arguments: [ArchiveFormat.zip, .tarZstd])
  func `has files of more than one piece, and holes`(_ format: ArchiveFormat) async throws {
    let text = Array(String(repeating: "A line that compresses well. ", count: 400_000).utf8)
    try fixture.makePackage(["text": .file(text), "noise": .file(ArchiveFixture.noise(9_500_000, seed: 2))])
    let disk = PosixDisk()
    let package = try disk.openDirectory(at: fixture.folder.appending("Trip.pack"))
    let sparse = try disk.createFile("sparse", in: package, mode: 0o644)
    try disk.write([1, 2, 3], to: sparse, at: 20_000_000)
    try disk.resize(sparse, to: 30_000_000)
    try await fixture.export("a", as: format)
    try await fixture.take("a")
    #expect(try fixture.tree("Back.pack") == fixture.tree("Trip.pack"))
    var status = stat()
    #expect(stat(fixture.folder.appending("Back.pack/sparse").string, &status) == 0)
    #expect(status.st_blocks * 512 < 1 << 20, "the hole takes \(status.st_blocks * 512) bytes")
  }

  @Test func `is the same tree in memory`() async throws {
    try await fixture.makeArchive("a.tar.zst", of: ArchiveFixture.treeWithBytes)
    let tree = try await FileWrapper.importArchive(at: fixture.url("a.tar.zst"))
    try tree.write(to: fixture.url("Back.pack"), originalContentsURL: nil)
    #expect(try fixture.tree("Back.pack") == fixture.tree("Trip.pack"))
  }

  @Test func `that never was on disk is exported, too`() async throws {
    let tree = FileWrapper(directoryWithFileWrappers: [
      "a.txt": FileWrapper(regularFileWithContents: Data("a".utf8)),
      "Folder": FileWrapper(directoryWithFileWrappers: [:]),
    ])
    for format in ArchiveFormat.readable {
      let name = "Sketch.\(format.rawValue)"
      try await tree.snapshot().export(to: fixture.url(name))
      try await fixture.take(name, to: "\(name).pack")
      #expect(try fixture.tree("\(name).pack") == ["a.txt": "a", "Folder": [:]])
    }
  }

  @Test(arguments: [ArchiveFormat.zip, .tarZstd])
  func `is read from a pipe, and written to one`(_ format: ArchiveFormat) async throws {
    try fixture.makePackage()
    let store = try await PackageStore.open(at: fixture.package)
    let snapshot = await store.tree.snapshot()
    let pipe = try FileDescriptor.pipe()
    let exported = Task {
      try await snapshot.export(to: pipe.writeEnd, as: format)
      try pipe.writeEnd.close()
    }
    try await PackageStore.importArchive(from: pipe.readEnd, to: fixture.url("Back.pack"))
    try await exported.value
    try pipe.readEnd.close()
    #expect(try fixture.tree("Back.pack") == fixture.tree("Trip.pack"))
  }

  @Test func `needs the passphrase that it was encrypted with`() async throws {
    try fixture.makePackage()
    let options = with(ExportOptions()) { $0.passphrase = "Über den Pass" }
    try await fixture.export("a.zip", options: options)
    try await fixture.take("a.zip", options: with(.init()) { $0.passphrase = options.passphrase })
    #expect(try fixture.tree("Back.pack") == fixture.tree("Trip.pack"))
    for wrong in [nil, "another"] {
      let error = await #expect(throws: ArchiveError.self) {
        try await fixture.take("a.zip", to: "No.pack", options: with(.init()) { $0.passphrase = wrong })
      }
      #expect(error?.code == .passphrase, "\(wrong ?? "none")")
    }
    #expect(try fixture.names == ["Trip.pack", "a.zip", "Back.pack"])
  }

  @Test(arguments: [ArchiveFormat.zip, .tar])
  func `leaves hidden folders behind, also of documents in it, unless history is asked for`(
    format: ArchiveFormat
  ) async throws {
    let hidden: TestTree = ["versions": ["1": "old"], "m": "m"]
    try fixture.makePackage([
      "A": [
        "B.pack": ["b": "b", ".docpkg": hidden, "C.pack": [".docpkg": hidden]], ".docpkg": ["lock": ""],
      ],
      "a.txt": "a", ".docpkg": ["versions": ["1": "old"], "tmp": [:], "lock": ""],
      ".docpkg-0123456789abcdef.old": ["b": "old"],
    ])
    let visible: TestTree = ["A": ["B.pack": ["b": "b", "C.pack": [:]]], "a.txt": "a"]
    let inner = ["A/B.pack/.docpkg", "A/B.pack/C.pack/.docpkg"]
    let report = try await fixture.export("a", as: format)
    #expect(report.leftOut == [".docpkg-0123456789abcdef.old", ".docpkg"] + inner)
    let taking = with(ImportOptions()) { $0.includesHistory = true }
    try await fixture.take("a", options: taking)
    #expect(try fixture.tree("Back.pack") == visible)
    try await fixture.export("b", as: format, options: with(.init()) { $0.includesHistory = true })
    #expect(try await fixture.take("b", to: "Plain.pack").leftOut == [".docpkg"] + inner)
    #expect(try fixture.tree("Plain.pack") == visible)
    try await fixture.take("b", to: "Whole.pack", options: taking)
    #expect(
      try fixture.tree("Whole.pack") == [
        "A": ["B.pack": ["b": "b", ".docpkg": hidden, "C.pack": [".docpkg": hidden]]], "a.txt": "a",
        ".docpkg": ["versions": ["1": "old"]],
      ])
  }

  /// Trees that an export without a folder around the children must preserve.
  static let flatTrees: [TestTree] = [
    ["Contents": ["Info.plist": "i"]], ["Contents": [:]], ["Contents": ["Contents": ["a": "a"]]],
    ["Q: a": ["f": "1"]], ["C:": "1"], ["C:\\x": "1", "y": ["C:": "2"]], ["a\\b": "1"],
    ["a\\b": ["c\\d": "1"], "e\\": "2"],
  ]

  @Test(arguments: survivals, flatTrees)
  func `has all of its children at the top, whatever they are called`(_ survival: Survival, _ tree: TestTree)
    async throws
  {
    try fixture.makePackage(tree)
    let flat = with(ExportOptions()) { $0.topFolder = .none }
    let report = try await fixture.export("a", as: survival.format, options: flat)
    let taken = try await fixture.take("a")
    #expect(try fixture.tree("Back.pack") == tree)
    #expect(taken.bytes == report.bytes)
  }

  @Test func `has all of its children at the top of an encrypted zip, too`() async throws {
    var flat = ExportOptions()
    flat.topFolder = .none
    flat.passphrase = "open sesame"
    let taking = with(ImportOptions()) { $0.passphrase = "open sesame" }
    for (number, tree) in Self.flatTrees.enumerated() {
      try fixture.makePackage(tree, named: "\(number)")
      try await fixture.export("\(number).zip", of: "\(number)", options: flat)
      try await fixture.take("\(number).zip", to: "Back \(number)", options: taking)
      #expect(try fixture.tree("Back \(number)") == tree)
    }
  }

  @Test(arguments: survivals)
  func `may have any name`(_ survival: Survival) async throws {
    for (number, name) in ["Q: a", "C:", "c:\\x", "a\\b"].enumerated() {
      try fixture.makePackage(["f": "1"], named: name)
      try await fixture.export("\(number)", of: name, as: survival.format)
      try await fixture.take("\(number)", to: "Back \(number)")
      #expect(try fixture.tree("Back \(number)") == ["f": "1"])
    }
  }

  @Test func `may have its children at the top, or in a folder of another name`() async throws {
    try fixture.makePackage(["a.txt": "a", "b.txt": "b"])
    var options = ExportOptions()
    options.topFolder = .none
    try await fixture.export("flat.zip", options: options)
    options.topFolder = .named("Other")
    try await fixture.export("named.tar", options: options)
    try await fixture.take("flat.zip", to: "1")
    try await fixture.take("named.tar", to: "2")
    try await fixture.take("named.tar", to: "3", options: with(.init()) { $0.topFolder = .isKept })
    #expect(try fixture.tree("1") == ["a.txt": "a", "b.txt": "b"])
    #expect(try fixture.tree("2") == ["a.txt": "a", "b.txt": "b"])
    #expect(try fixture.tree("3") == ["Other": ["a.txt": "a", "b.txt": "b"]])
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/shm"), "this needs a tmpfs"))
  func `has a file whose date no zip can hold`() async throws {
    let place = FilePath("/dev/shm/\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: place.string, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(atPath: place.string) }
    let late = ArchiveFixture(folder: place)
    try late.makePackage(["a": "x"])
    let disk = PosixDisk()
    try disk.setModified(
      FileTime(seconds: .max, nanoseconds: 0), of: "a",
      in: disk.openDirectory(at: place.appending("Trip.pack")))
    try await late.export("a.zip")
    _ = try await late.take("a.zip")
    #expect(try late.tree("Back.pack") == ["a": "x"])
  }
}
