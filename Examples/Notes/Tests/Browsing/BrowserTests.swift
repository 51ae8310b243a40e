import Foundation
import Testing

/// All tests with a browser, one after the other: each browser uses all processors of a small machine.
@Suite(
  "In a browser", .serialized,
  .enabled(
    if: Driver.isInstalled, "chromium and chromium-driver are not installed: 'make prepare' installs them")
)
struct BrowserTests {}

extension Browser {
  /// Opens the address that the server printed, and waits for the library.
  func openLibrary(of fixture: ServeFixture) async throws {
    try await go(to: fixture.address.entry)
    try await waitForLibrary()
  }

  func waitForLibrary() async throws {
    try await wait(for: "the library", until: "location.pathname === '/' && document.body.dataset.ready")
  }

  /// Opens a document by its row in the library.
  func openDocument(_ name: String, of fixture: ServeFixture) async throws {
    try await openLibrary(of: fixture)
    try await click(link: name)
    try await waitForDocument()
  }

  func waitForDocument() async throws {
    try await wait(
      for: "the document", until: "location.pathname.startsWith('/d/') && document.body.dataset.ready")
  }

  /// Clicks the link of a document in the library.
  func click(link name: String) async throws {
    try await wait(
      for: "the row of \(name)",
      until: "[...document.querySelectorAll('.row-name')].some((e) => e.textContent === arguments[0])",
      .string(name))
    try await run(
      "[...document.querySelectorAll('.row-name')].find((e) => e.textContent === arguments[0]).click()",
      .string(name))
  }

  /// Waits until the light of the document is this one.
  func waitForLight(_ light: String) async throws {
    try await wait(
      for: "the light '\(light)'", until: "document.querySelector('#light').dataset.light === arguments[0]",
      .string(light))
  }

  /// Waits until the document's text is this one.
  func waitForText(_ text: String) async throws {
    try await wait(
      for: "the text '\(text)'", until: "document.querySelector('#text').textContent === arguments[0]",
      .string(text))
  }

  var text: String {
    get async throws { try await run("return document.querySelector('#text').textContent").string ?? "" }
  }

  /// Puts the caret at the end of the text.
  func putCaretAtEnd() async throws {
    try await click("#text")
    try await press(.end, with: .control)
  }

  /// The names in the library, in the order of their rows.
  var rows: [String] {
    get async throws {
      try await run(
        """
        return [...document.querySelectorAll('.row')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
          .map((row) => row.querySelector('.row-name').textContent);
        """
      ).elements.compactMap(\.string)
    }
  }

  /// Waits until the library has these rows, in this order.
  func waitForRows(_ names: String...) async throws {
    try await wait(
      for: "the rows \(names)",
      until: """
        JSON.stringify([...document.querySelectorAll('.row')].sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
          .map((row) => row.querySelector('.row-name').textContent)) === JSON.stringify(arguments[0])
        """, .array(names.map { .string($0) }))
  }
}
