import Foundation
import TestSupport
import Testing

extension BrowserTests {
  @Suite("The library in each browser")
  struct LibraryScriptTests {
    @Test(
      .enabled(if: PageModuleTests.node != nil, "nodejs is not installed: 'make prepare' installs it"),
      arguments: KeyTests.browsers)
    func `finds documents by their whole text, and shows the hits`(browser: String) async throws {
      try await run("Library/searching.mjs", browser)
    }

    @Test(
      .enabled(if: PageModuleTests.node != nil, "nodejs is not installed: 'make prepare' installs it"),
      arguments: KeyTests.browsers)
    func `shows a history by sessions, with the changed words`(browser: String) async throws {
      try await run("Library/remembering.mjs", browser)
    }

    @Test(
      .enabled(if: PageModuleTests.node != nil, "nodejs is not installed: 'make prepare' installs it"),
      arguments: KeyTests.browsers)
    func `shows sections and pins, and prints`(browser: String) async throws {
      try await run("Library/shelving.mjs", browser)
    }

    private func run(_ script: String, _ browser: String) async throws {
      let node = try #require(PageModuleTests.node)
      let path = PageModuleTests.folder.appending(path: script).path
      let run = try await waiting {
        try node.run([path, browser], environment: ["DOCPKG": ServeFixture.tool.path])
      }
      #expect(run.status == 0, "\(run.output)\n\(run.errors)")
    }
  }
}
