import Testing

extension BrowserTests {
  @Suite(
    "The library in each browser",
    .enabled(if: PageModuleTests.node != nil, "nodejs is not installed: 'make prepare' installs it"))
  struct LibraryScriptTests {
    @Test func `finds documents by their whole text, and shows the hits`() async throws {
      try await PageScript(name: "Library/searching.mjs").run()
    }

    @Test func `shows a history by sessions, with the changed words`() async throws {
      try await PageScript(name: "Library/remembering.mjs").run()
    }

    @Test func `shows sections and pins, and prints`() async throws {
      try await PageScript(name: "Library/shelving.mjs").run()
    }
  }
}
