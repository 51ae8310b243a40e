import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("Archives and other programs", .tags(.process), .temporaryDirectory)
struct OtherProgramsTests {
  /// The command of a program that reads an archive to its end.
  struct Reader: Sendable, CustomTestStringConvertible {
    var program: String
    var arguments: [String]
    var format: ArchiveFormat

    var testDescription: String { "\(format.rawValue) by \(program)" }
  }

  static let readers: [Reader] = [
    Reader(program: "unzip", arguments: ["-t"], format: .zip),
    Reader(program: "bsdtar", arguments: ["-xOf"], format: .zip),
    Reader(program: "7z", arguments: ["t"], format: .zip),
    Reader(program: "python3", arguments: ["-m", "zipfile", "-t"], format: .zip),
    Reader(program: "7z", arguments: ["t"], format: .sevenZip),
    Reader(program: "7z", arguments: ["t"], format: .tar),
    Reader(program: "bsdtar", arguments: ["-xOf"], format: .tarZstd),
    Reader(program: "tar", arguments: ["-xOf"], format: .tar),
    Reader(program: "tar", arguments: ["-xOzf"], format: .tarGzip),
    Reader(program: "tar", arguments: ["-xOJf"], format: .tarXZ),
    Reader(program: "python3", arguments: ["-m", "tarfile", "-t"], format: .tarGzip),
  ].filter { Program.installed($0.program) != nil }

  @Test(arguments: readers)
  func `are read to the end without complaint`(_ reader: Reader) async throws {
    var tree = reader.format == .sevenZip ? ArchiveFixture.tree : ArchiveFixture.treeWithBytes
    // A file of this size goes into a zip in pieces.
    let count = reader.format == .zip ? 8_400_000 : 400_000
    tree["large"] = .file([UInt8](repeating: 0x41, count: count))
    tree["noise"] = .file(ArchiveFixture.noise(count, seed: 5))
    try fixture.makePackage(tree)
    let name = "a.\(reader.format.rawValue)"
    try await fixture.export(name)
    let result = try run(reader.program, reader.arguments + [name], in: fixture.folder)
    #expect(result.status == 0, "\(result.output.suffix(500))")
    let complaints = ["warning", "error:", "corrupt", "bad "].filter {
      result.output.lowercased().contains($0)
    }
    // One name in the package begins with a complaint's word.
    let isListed = reader.program == "unzip" || reader.program == "python3"
    #expect(complaints.isEmpty || isListed && complaints == ["bad "], "\(complaints)")
  }

  @Test(.enabled(if: Program.installed("7z") != nil, "needs 7z"))
  func `have their dates in a 7z, also those before 1970`() async throws {
    try fixture.makePackage(["old.txt": .file([1])])
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: -20_000_000)],
      ofItemAtPath: fixture.folder.appending("Trip.pack/old.txt").string)
    try await fixture.export("a.7z")
    let listed = try run("7z", ["l", "-slt", "a.7z", "Trip.pack/old.txt"], in: fixture.folder)
    #expect(listed.output.contains("Modified = 1969-05-14"), "\(listed.output)")
  }

  @Test(.enabled(if: Program.installed("unzip") != nil, "needs unzip"))
  func `are unpacked by unzip with names, modes, links and dates`() async throws {
    try await fixture.makeArchive("a.zip")
    #expect(try run("unzip", ["-q", "a.zip", "-d", "Out"], in: fixture.folder).status == 0)
    #expect(try fixture.tree("Out/Trip.pack") == fixture.tree("Trip.pack"))
    let dates = try fixture.dates("Trip.pack").mapValues(\.seconds).filter { !$0.key.contains("link") }
    let back = try fixture.dates("Out/Trip.pack").mapValues(\.seconds).filter { !$0.key.contains("link") }
    #expect(back == dates)
  }

  @Test(.enabled(if: Program.installed("tar") != nil, "needs tar"))
  func `are unpacked by tar with everything`() async throws {
    try await fixture.makeArchive("a.tar", of: ArchiveFixture.treeWithBytes)
    try FileManager.default.createDirectory(at: fixture.url("Out"), withIntermediateDirectories: false)
    #expect(try run("tar", ["-xpf", "a.tar", "-C", "Out"], in: fixture.folder).status == 0)
    #expect(try fixture.tree("Out/Trip.pack") == fixture.tree("Trip.pack"))
    #expect(try fixture.dates("Out/Trip.pack") == fixture.dates("Trip.pack"))
  }

  /// The command of a program that makes an archive of `Trip.pack`.
  struct Writer: Sendable, CustomTestStringConvertible {
    var program: String
    var arguments: [String]
    var archive: String
    /// Whether links come back as links.
    var keepsLinks = true

    var testDescription: String { "\(program) \(arguments.joined(separator: " "))" }
  }

  static let writers: [Writer] = [
    Writer(program: "zip", arguments: ["-qry", "a.zip", "Trip.pack"], archive: "a.zip"),
    Writer(program: "zip", arguments: ["-qry0", "a.zip", "Trip.pack"], archive: "a.zip"),
    Writer(program: "bsdtar", arguments: ["--format", "zip", "-cf", "a.zip", "Trip.pack"], archive: "a.zip"),
    Writer(program: "bsdtar", arguments: ["--format", "pax", "-cf", "a.tar", "Trip.pack"], archive: "a.tar"),
    Writer(program: "bsdtar", arguments: ["--zstd", "-cf", "a.tar.zst", "Trip.pack"], archive: "a.tar.zst"),
    Writer(program: "tar", arguments: ["-cf", "a.tar", "Trip.pack"], archive: "a.tar"),
    Writer(program: "tar", arguments: ["-czf", "a.tgz", "Trip.pack"], archive: "a.tgz"),
    Writer(program: "tar", arguments: ["-cJf", "a.txz", "Trip.pack"], archive: "a.txz"),
    Writer(
      program: "tar", arguments: ["--format=pax", "-cf", "a.tar", "-C", "Trip.pack", "."], archive: "a.tar"),
    Writer(program: "7z", arguments: ["a", "-snl", "a.zip", "Trip.pack"], archive: "a.zip"),
    Writer(
      program: "python3", arguments: ["-m", "zipfile", "-c", "a.zip", "Trip.pack"], archive: "a.zip",
      keepsLinks: false),
    Writer(
      program: "python3", arguments: ["-m", "tarfile", "-c", "a.tar.gz", "Trip.pack"], archive: "a.tar.gz"),
  ].filter { Program.installed($0.program) != nil }

  @Test(arguments: writers)
  func `are imported`(_ writer: Writer) async throws {
    // Some programs do not preserve a name that is not composed.
    var tree = ArchiveFixture.tree
    tree["Folder"]?[FileName("U\u{308}bung 2.txt")] = nil
    if !writer.keepsLinks { (tree["link"], tree["up"]) = (nil, nil) }
    try fixture.makePackage(tree)
    let made = try run(writer.program, writer.arguments, in: fixture.folder)
    try #require(made.status == 0, "\(made.output)")
    #expect(try await fixture.take(writer.archive).leftOut.isEmpty)
    #expect(try fixture.tree("Back.pack") == tree)
  }

  @Test(.enabled(if: Program.installed("7z") != nil, "needs 7z"))
  func `are exchanged with a passphrase`() async throws {
    try fixture.makePackage()
    try await fixture.export("ours.zip", options: with(.init()) { $0.passphrase = "secret" })
    #expect(try run("7z", ["t", "-psecret", "ours.zip"], in: fixture.folder).status == 0)
    #expect(try run("7z", ["t", "-pwrong", "ours.zip"], in: fixture.folder).status != 0)
    // libarchive cannot read encrypted links.
    var tree = ArchiveFixture.tree
    (tree["link"], tree["up"]) = (nil, nil)
    try FileManager.default.removeItem(at: fixture.package)
    try fixture.makePackage(tree)
    let made = try run(
      "7z", ["a", "-snl", "-psecret", "-mem=AES256", "theirs.zip", "Trip.pack"], in: fixture.folder)
    try #require(made.status == 0)
    try await fixture.take("theirs.zip", options: with(.init()) { $0.passphrase = "secret" })
    #expect(try fixture.tree("Back.pack") == tree)
  }

  // MARK: Samples

  private static func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: sampleFolder.appending(path: name).path)
  }

  @Test(
    .enabled(if: exists("textbundle"), "needs the samples"),
    arguments: [
      "example.textpack", "example-bundle-v1.zip", "example-bundle-v2.zip", "textbundle-logo.zip",
    ])
  func `made on a Mac are imported without what only a Mac needs`(name: String) async throws {
    try FileManager.default.copyItem(
      at: sampleFolder.appending(path: "textbundle/\(name)"), to: fixture.url(name))
    let report = try await fixture.take(name)
    #expect(report.entries > 0)
    let names = try fixture.tree("Back.pack").entries.keys
    #expect(!names.contains("__MACOSX") && !names.contains { $0.bytes.starts(with: Array("._".utf8)) })
    let all = with(ImportOptions()) { $0.includesAppleDouble = true }
    // Without this option, the only folder at the top is no entry of the package.
    let whole = try await fixture.take(name, to: "All", options: all).entries
    #expect((0...1).contains(whole - report.entries - report.leftOut.count))
  }

  @Test(
    .enabled(if: exists("README.rtfd"), "needs the samples"),
    arguments: [
      "README.rtfd", "sample-project.scriv", "textbundle/shapes",
    ])
  func `of packages that other programs made come back as they were`(name: String) async throws {
    let copied = try run("cp", ["-a", sampleFolder.appending(path: name).path, "Sample"], in: fixture.folder)
    try #require(copied.status == 0)
    for format in ArchiveFormat.readable {
      try await fixture.export("a", of: "Sample", as: format)
      try await fixture.take("a", to: format.rawValue)
      #expect(try fixture.tree(format.rawValue) == fixture.tree("Sample"), "\(format.rawValue)")
    }
    #expect(try fixture.dates("tar.zst") == fixture.dates("Sample"))
  }
}
