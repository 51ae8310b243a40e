import Documents
import FoundationEssentials
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("A program that is told to end")
struct TerminationHandlerTests {
  @Test func `saves its document first, and then ends by the signal`() async throws {
    try await withTemporaryDirectory { folder in
      let path = folder.appending("Note.txt").string
      await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
        let document = try await Document.create(
          Plain("begin"), at: URL(filePath: path), options: .quiet(nil))
        let termination = TerminationHandler { try? await document.close() }
        try await document.edit { $0.text = "last words" }
        kill(getpid(), SIGTERM)
        try await Task.sleep(for: .seconds(30))
        withExtendedLifetime(termination) {}
      }
      let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
      #expect(text == "last words")
    }
  }
}
