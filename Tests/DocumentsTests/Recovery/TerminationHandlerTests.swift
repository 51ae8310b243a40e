import Documents
import FoundationEssentials
import Glibc
import ImageNotes
import SystemPackage
import TestSupport
import Testing

@Suite("A program that is told to end", .tags(.process), .temporaryDirectory)
struct TerminationHandlerTests {
  /// The files of a package show the user's edits without this library: no save waits in the hidden folder.
  @Test func `leaves its package's files as the user saw them`() async throws {
    let path = folder.appending("Trip.imageNotes").string
    let notes = with(ImageNotes()) { $0.text = "begin\n" }
    try await Document.create(notes, at: URL(filePath: path), options: .quiet(nil)).close()
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
      let (document, termination) = try await printedInDocuments(url: URL(filePath: path))
      try await document.edit { $0.text += "saved\n" }
      // This save is committed and not published.
      try await document.save()
      try await document.edit { $0.text += "last words\n" }
      try await endBySignal(holding: termination)
    }
    let text = try String(contentsOf: URL(filePath: path).appending(path: "Text.txt"), encoding: .utf8)
    #expect(text == "begin\nsaved\nlast words\n")
    #expect(try PackageStore.recoveryReport(at: URL(filePath: path)).log == .published)
  }
}

/// Sends this process the signal that asks it to end, and waits for its end.
private func endBySignal(holding termination: TerminationHandler) async throws {
  kill(getpid(), SIGTERM)
  // Longer than any test may take: the process ends by the signal, or the test fails.
  try await Task.sleep(for: .seconds(60))
  withExtendedLifetime(termination) {}
}
