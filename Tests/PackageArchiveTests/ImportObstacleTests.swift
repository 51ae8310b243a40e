import DurableIO
import FilePackages
import Foundation
import PackageArchive
import SystemPackage
import TestSupport
import Testing

@Suite("What is in the way of an import is told by the export")
struct ImportObstacleTests {
  struct Obstacle: Sendable, CustomTestStringConvertible {
    var kind: ImportObstacle.Kind
    var path: String?
    var tree: TestTree
    var isFlat = false
    /// Whether an import leaves the child out and does not refuse the archive.
    var isLeftOut = false
    var allow: @Sendable (inout ImportOptions, ImportObstacle) -> Void

    var testDescription: String { "\(kind) \(path ?? "")" }
  }

  static let obstacles: [Obstacle] = [
    Obstacle(kind: .controlCharacters, path: "Icon\r", tree: ["Icon\r": "x", "a": "a"]) { options, _ in
      options.allowsControlCharacters = true
    },
    Obstacle(
      kind: .controlCharacters, path: "Folder/link",
      tree: ["Folder": ["link": .link(Array("a\u{7F}".utf8))]]
    ) { options, _ in options.allowsControlCharacters = true },
    Obstacle(kind: .similarNames, path: "a/b.txt", tree: ["a": ["B.txt": "1", "b.txt": "2"]]) { options, _ in
      options.allowsSimilarNames = true
    },
    Obstacle(
      kind: .similarNames, path: "\u{DC}bung", tree: ["U\u{308}bung": "1", "\u{DC}bung": "2"], isFlat: true
    ) { options, _ in options.allowsSimilarNames = true },
    Obstacle(kind: .outsideLink, path: "up/link", tree: ["up": ["link": .link(Array("../../x".utf8))]]) {
      options, _ in options.allowsLinksOutside = true
    },
    Obstacle(kind: .outsideLink, path: "link", tree: ["link": .link(Array("/etc".utf8))], isFlat: true) {
      options, _ in options.allowsLinksOutside = true
    },
    Obstacle(
      kind: .appleDouble, path: "__MACOSX", tree: ["__MACOSX": ["x": "1"], "y": "1"], isFlat: true,
      isLeftOut: true
    ) { options, _ in options.includesAppleDouble = true },
    Obstacle(kind: .hiddenName, path: ".DOCPKG", tree: [".DOCPKG": ["x": "1"], "y": "1"], isLeftOut: true) {
      options, _ in options.includesHistory = true
    },
    Obstacle(
      kind: .depth, path: (0..<64).map { _ in "d" }.joined(separator: "/"),
      tree: (0..<70).reduce("deep") { tree, _ in ["d": tree] }
    ) { options, obstacle in options.limits.depth = Int(obstacle.limit ?? 0) },
    Obstacle(kind: .ratio, tree: ["zeros": .file([UInt8](repeating: 0, count: 20 << 20))]) {
      options, obstacle in
      options.limits.ratio = Int(obstacle.limit ?? 0)
    },
  ]

  @Test(arguments: obstacles, [ArchiveFormat.zip, .tarZstd])
  func `with what helps`(_ obstacle: Obstacle, _ format: ArchiveFormat) async throws {
    try await withFixture { fixture in
      try fixture.makePackage(obstacle.tree)
      var options = ExportOptions()
      if obstacle.isFlat { options.topFolder = .none }
      let report = try await fixture.export("a", as: format, options: options)
      #expect(report.obstacles.map(\.kind) == [obstacle.kind])
      let found = try #require(report.obstacles.first)
      #expect(found.path == obstacle.path)
      if obstacle.isLeftOut {
        let taken = try await fixture.take("a", to: "Part.pack")
        #expect(!taken.leftOut.isEmpty)
        #expect(try fixture.tree("Part.pack") != obstacle.tree)
      } else {
        await #expect(throws: ArchiveError.self) { try await fixture.take("a", to: "Part.pack") }
      }
      var allowing = ImportOptions()
      obstacle.allow(&allowing, found)
      try await fixture.take("a", options: allowing)
      #expect(try fixture.tree("Back.pack") == obstacle.tree)
    }
  }

  @Test func `is nothing where an import takes all`() async throws {
    try await withFixture { fixture in
      try fixture.makePackage()
      for flat in [ExportOptions.TopFolder.package, .none] {
        var options = ExportOptions()
        options.topFolder = flat
        #expect(try await fixture.export("a.zip", options: options).obstacles == [])
      }
      try fixture.makePackage(["f": "1"], named: "Icon\r")
      let named = try await fixture.export("b.zip", of: "Icon\r").obstacles
      #expect(named.map(\.kind) == [.controlCharacters] && named.first?.path == "Icon\r")
    }
  }

  @Test func `has the limits that an import needs`() {
    let survey = ObstacleSurvey()
    #expect(survey.obstacles(entries: 200_000, bytes: 4 << 30, archiveBytes: 4 << 30).isEmpty)
    let all = survey.obstacles(entries: 200_001, bytes: (4 << 30) + 1, archiveBytes: 20_000_000)
    #expect(all.map(\.kind) == [.entries, .bytes, .ratio])
    #expect(all.map(\.limit) == [200_001, (4 << 30) + 1, 256])
  }
}
