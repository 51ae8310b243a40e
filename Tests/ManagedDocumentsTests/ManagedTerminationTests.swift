import FoundationEssentials
import GRDB
import Glibc
import ManagedDocuments
import TestSupport
import Testing

@Suite("A program with a database document that is told to end", .tags(.process), .temporaryDirectory)
struct ManagedTerminationTests {
  @Test func `saves the document first`() async throws {
    let path = fixture.url.path
    await #expect(processExitsWith: .signal(SIGTERM)) { [path = path as String] in
      let book = try await ManagedDocument.open(at: URL(filePath: path), options: RecipeBook.options())
      let termination = TerminationHandler(closing: book)
      try await book.add(Recipe(id: 1, title: "Soup"))
      kill(getpid(), SIGTERM)
      // Longer than any test may take: the process ends by the signal, or the test fails.
      try await Task.sleep(for: .seconds(60))
      withExtendedLifetime(termination) {}
    }
    let book = try await fixture.open()
    #expect(await !book.hasUnsavedChanges)
    #expect(try await book.book.titles == ["Soup"])
    try await book.close()
  }
}
