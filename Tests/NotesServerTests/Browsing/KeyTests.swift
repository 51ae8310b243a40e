import Foundation
import TestSupport
import Testing

extension BrowserTests {
  @Suite("Keys in a document's text")
  struct KeyTests {
    /// The browsers that this machine has, by the names that the script knows.
    static let browsers = ["chromium", "firefox"].filter { name in
      Program.installed(name == "firefox" ? "firefox-esr" : name) != nil
    }

    @Test(
      .enabled(if: PageModuleTests.node != nil, "nodejs is not installed: 'make prepare' installs it"),
      arguments: browsers, ["undoing", "dropping", "looking", "pictures", "placing"])
    func `do what their script says`(browser: String, script: String) async throws {
      try await Self.run(script, browser)
    }

    @Test(
      .enabled(if: PageModuleTests.node != nil, "nodejs is not installed: 'make prepare' installs it"),
      arguments: browsers)
    func `write and delete what a model of the text says`(browser: String) async throws {
      let environment = ProcessInfo.processInfo.environment
      // More of them: SEED=100 SEEDS=40 EVENTS=100.
      try await Self.run(
        "deleting", browser, [("SEED", "0"), ("SEEDS", "5"), ("EVENTS", "40")].map { environment[$0] ?? $1 })
    }

    private static func run(_ script: String, _ browser: String, _ arguments: [String] = []) async throws {
      let node = try #require(PageModuleTests.node)
      let script = PageModuleTests.folder.appending(path: "Keys/\(script).mjs").path
      let run = try await waiting {
        try node.run([script, browser] + arguments, environment: ["DOCPKG": ServeFixture.tool.path])
      }
      #expect(run.status == 0, "\(run.output)\n\(run.errors)")
    }
  }
}
