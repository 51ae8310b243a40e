import DurableIO
import FilePackages
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Packages that version 0.1.0 wrote, with a record of the children and versions that it read in a copy of each.
///
/// `Fixtures/README.md` says how they were made. In an unpacked copy, recovery publishes a waiting save only
/// if the children prove it by their contents. `Tests/long/run other-version` compares recovery in place.
@Suite("A package that version 0.1.0 wrote", .tags(.process))
struct EarlierVersionTests {
  private static let folder = projectFolder.appending(
    path: "Fixtures/v0.1.0", directoryHint: .isDirectory)

  static let names = [
    "saved", "history", "restored", "committed", "publishing", "published", "new-committed", "new-publishing",
    "synchronised", "set-aside", "other-programs", "own-metadata", "kinds", "staged", "exchanged",
  ]

  /// The packages with children that another program added: 0.1.0 called them damaged.
  private static let withAdditions = ["kinds", "synchronised"]
  /// The packages with a waiting save that 0.1.0 refused to publish in a copy, although the children prove it.
  private static let published = ["committed", "publishing"]

  @Test func `is here with a record`() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(Set(files) == Set(Self.names.flatMap { ["\($0).tar.gz", "\($0).txt"] }))
  }

  @Test(arguments: names)
  func `is read, recovered, verified and saved as that version did it`(name: String) async throws {
    try await withUnpacked(name) { url, record in
      // As `docpkg recover` does it: opening recovers.
      let recovering = try await PackageStore.open(at: url)
      let isDamaged = await recovering.journalDamage != nil
      try await recovering.close()
      if !isDamaged { try await PackageStore.removeLeftovers(at: url) }
      let store = try await PackageStore.open(at: url)
      let before = try Self.lines(of: await store.tree)
      var found = ["verify \(try await store.verify().isWhole ? 0 : 1)"]
      found += before.map { "tree \($0)" }
      let conflicts = try await store.conflictVersions().count
      found.append("conflicts \(conflicts == 0 ? 0 : conflicts + 1)")
      for version in try await store.versions() {
        let id = version.persistentIdentifier
        let (tree, lost) = try await store.contents(of: id)
        // In place of a lost child the tree has the present one.
        let lines = try Self.lines(of: tree).filter { line in !lost.contains { line.hasSuffix(" \($0)") } }
        found += lines.map { "\(id) \($0)" }
        found += lost.filter { !$0.hasPrefix("Metadata.") }.map { "\(id) lost \($0)" }
      }
      do {
        try await store.put("Added.txt", "added")
        try await store.save()
        found.append("edit 0")
      } catch let error as FilePackageError {
        #expect(error.code == .journalDamaged)
        found.append("edit 2")
      }
      let isPublished = Self.published.contains(name)
      if isPublished {
        #expect(found.contains("verify 0") && found.contains("edit 0"))
        // The tree of before the save is one whole version now, and everything else is as it was. 0.1.0 had published
        // some children of one package.
        let tree = record.filter { $0.hasPrefix("tree ") }.map { $0.dropFirst(4) }
        let rest = record.filter { !$0.hasPrefix("tree ") && $0 != "verify 1" && $0 != "edit 2" }
        #expect(Set(rest).isSubset(of: found), "\(Self.difference(rest, found))")
        let present = found.filter { $0.hasPrefix("tree ") }.map { $0.dropFirst(4) }
        let new = Set(found).subtracting(record).filter { $0.dropFirst(36).hasPrefix(" ") }
        let versions = Dictionary(grouping: new) { $0.prefix(36) }.values.map {
          Set($0.map { $0.dropFirst(36) })
        }
        #expect(
          versions.contains { version in
            name == "publishing" ? version.union(present).isSuperset(of: tree) : version == Set(tree)
          }, "\(Self.difference(record, found))")
      } else {
        let isWhole = Self.withAdditions.contains(name)
        // A child that another program added is lost in no version.
        let expected = record.filter { !$0.contains(" lost Text.sync-conflict-") }
          .map { isWhole && $0 == "verify 1" ? "verify 0" : $0 }
        #expect(Set(found) == Set(expected), "\(Self.difference(expected, found))")
      }
      try await store.close()

      let added = found.last == "edit 0" ? ["\(Self.hexadecimal(Data("added".utf8))) Added.txt"] : []
      let later = try await PackageStore.open(at: url)
      #expect(try Self.lines(of: await later.tree).sorted() == (before + added).sorted())
      let report = try await later.verify()
      #expect(report.isWhole == found.contains("verify 0"), "\(report)")
      try await later.close()
    }
  }

  @Test(arguments: ["published", "new-publishing", "new-committed"])
  func `is edited by the store that recovered it`(name: String) async throws {
    try await withUnpacked(name) { url, _ in
      let store = try await PackageStore.open(at: url)
      let before = try Self.lines(of: await store.tree)
      let versions = try await store.versions().count
      try await store.put("Added.txt", "added")
      let report = try await store.save(options: .keepsHistory)
      #expect(report.conflicts.isEmpty)
      try await store.close()

      let later = try await PackageStore.open(at: url)
      #expect(try Self.lines(of: await later.tree).count == before.count + 1)
      #expect(try await later.verify().isWhole)
      #expect(try await later.versions().count == (name == "published" ? versions + 1 : 0))
      try await later.close()
    }
  }

  @Test(arguments: ["history", "restored", "kinds"])
  func `is brought back to each of its versions`(name: String) async throws {
    try await withUnpacked(name) { url, record in
      let store = try await PackageStore.open(at: url)
      let versions = try await store.versions().filter { !$0.isCurrent }
      #expect(!versions.isEmpty)
      for version in versions {
        let id = version.persistentIdentifier
        _ = try await store.restore(id, options: .keepsHistory)
        let expected = record.filter { $0.hasPrefix("\(id) ") }.map { String($0.dropFirst(37)) }
        #expect(try Self.lines(of: await store.tree).sorted() == expected.sorted(), "version \(id)")
      }
      try await store.close()
    }
  }

  /// Unpacks an archive, and gives the package in it and its record.
  private func withUnpacked(_ name: String, _ body: (URL, [String]) async throws -> Void) async throws {
    try await withTemporaryDirectory { folder in
      let archive = Self.folder.appending(path: "\(name).tar.gz").path
      #expect(system("bsdtar -xpf '\(archive)' -C '\(folder)'") == 0)
      let entries = try FileManager.default.contentsOfDirectory(atPath: folder.string)
      let package = try #require(entries.first { !$0.hasPrefix(".") })
      let text = try Data(contentsOf: Self.folder.appending(path: "\(name).txt"))
      let record = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
      // The day of the packages: on a later one, a store may thin their histories when it closes.
      var environment = Environment()
      environment.now = { FileTime(seconds: 1_795_357_800, nanoseconds: 0) }
      try await Environment.$current.withValue(environment) {
        try await body(URL(filePath: "\(folder)/\(package)", directoryHint: .isDirectory), record)
      }
    }
  }

  /// A line for each file and link, as the record has it. Metadata have identifiers and dates, and are left out.
  private static func lines(of folder: FileWrapper, at prefix: String = "") throws -> [String] {
    try folder.children().flatMap { name, child -> [String] in
      let path = prefix + name
      if path.hasPrefix("Metadata.") || path == ".docpkg" { return [] }
      switch child.kind {
      case .directory: return try lines(of: child, at: "\(path)/")
      case .symbolicLink: return ["\(child.symbolicLinkDestinationURL?.relativePath ?? "?") -> \(path)"]
      default: return ["\(hexadecimal(try child.contents())) \(path)"]
      }
    }
  }

  private static func hexadecimal(_ data: Data) -> String {
    ContentHash(of: Array(data)).bytes.map { (($0 < 16) ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func difference(_ record: [String], _ found: [String]) -> String {
    let missing = Set(record).subtracting(found).sorted().map { "- \($0)" }
    let new = Set(found).subtracting(record).sorted().map { "+ \($0)" }
    return (missing + new).joined(separator: "\n")
  }
}
