import Foundation
import Testing

@Suite("The modules of the pages")
struct PageModuleTests {
  static let node = Program.installed("node")
  /// The folder of the tests that node runs.
  static let folder = packageFolder.appending(path: "Tests/Pages")

  @Test(.enabled(if: node != nil, "nodejs is not installed: 'make prepare' installs it"))
  func `pass their own tests`() async throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix(".test.mjs") }.map { Self.folder.appending(path: $0).path }
    try #require(!files.isEmpty)
    let node = try #require(Self.node)
    let run = try await waiting { try node.run(["--test"] + files) }
    #expect(run.status == 0, "\(run.output)")
  }
}
