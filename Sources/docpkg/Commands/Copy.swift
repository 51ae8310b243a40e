import ArgumentParser
import FilePackages

struct Copy: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Save a document as another one.",
    discussion: """
      The copy has an identifier of its own, and shares blocks with the original where the file system can do \
      that, never files; the report says what was written and what was reused so. Holes in files stay holes. FIFOs, \
      sockets and devices are left out. A folder that is there, and is no package, gets the copy under the document's name.

      Examples:
        docpkg copy Trip.imageNotes "Trip, shortened.imageNotes"
        docpkg copy Trip.imageNotes Backups/

      \(ExitStatus.help)
      """)

  @Argument(path: "The document to copy.")
  var source: String

  @Argument(path: "Where to save the copy, or the folder to put it into. There must be nothing yet.")
  var destination: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let destination = Destination.path(destination) { Destination.name(of: source)?.name }
    let store = try await PackageStore.open(at: url(source))
    if writing.dryRun { return try writing.report(await store.copyPlan(to: url(destination))) }
    try writing.report(await copy(store, to: destination), of: destination)
  }

  /// Copies the document, and shows the progress.
  private func copy(_ store: PackageStore, to destination: String) async throws -> SaveReport {
    let (progress, shown) = (ByteProgress(), Throughput())
    let ticking = Task {
      while shown.isShown && !writing.quiet && !Task.isCancelled {
        shown.show(progress.now)
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    defer { shown.clear() }
    do {
      let report = try await interruptible {
        try await store.copy(to: url(destination), progress: progress)
      }
      await end(ticking)
      return report
    } catch {
      await end(ticking)
      throw error
    }
  }

  private func end(_ ticking: Task<Void, any Error>) async {
    ticking.cancel()
    _ = await ticking.result
  }
}
