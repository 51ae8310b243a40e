import Foundation
import Testing

/// A script of the folder Pages that drives a browser with the document pages of `docpkg serve`.
struct PageScript {
  /// The browsers that this machine has, by the names that the scripts know.
  static let browsers = ["chromium", "firefox"].filter { name in
    Program.installed(name == "firefox" ? "firefox-esr" : name) != nil
  }

  var name: String
  var arguments: [String] = []

  /// Runs the script in all browsers at once: it waits most of the time.
  func run() async throws {
    let node = try #require(PageModuleTests.node)
    let path = PageModuleTests.folder.appending(path: name).path
    try await withThrowingTaskGroup { group in
      for browser in Self.browsers {
        group.addTask {
          let run = try await waiting {
            try node.run([path, browser] + arguments, environment: ["DOCPKG": ServeFixture.tool.path])
          }
          #expect(run.status == 0, "\(browser): \(run.output)\n\(run.errors)")
        }
      }
      try await group.waitForAll()
    }
  }
}
