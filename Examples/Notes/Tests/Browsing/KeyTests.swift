import Foundation
import Testing

extension BrowserTests {
  @Suite(
    "Keys in a document's text",
    .enabled(if: PageModuleTests.node != nil, "nodejs is not installed: 'make prepare' installs it"))
  struct KeyTests {
    @Test(arguments: ["undoing", "dropping", "looking", "pictures", "placing"])
    func `do what their script says`(script: String) async throws {
      try await PageScript(name: "Keys/\(script).mjs").run()
    }

    @Test func `write and delete what a model of the text says`() async throws {
      let environment = ProcessInfo.processInfo.environment
      // More of them: SEED=100 SEEDS=40 EVENTS=100.
      let arguments = [("SEED", "0"), ("SEEDS", "5"), ("EVENTS", "40")].map { environment[$0] ?? $1 }
      try await PageScript(name: "Keys/deleting.mjs", arguments: arguments).run()
    }
  }
}
