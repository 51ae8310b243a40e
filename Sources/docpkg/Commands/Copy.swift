import ArgumentParser
import FilePackages

struct Copy: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Save a document as another one.",
    discussion: """
      The copy has an identifier of its own. If the file system can share blocks, the copy shares them with the \
      original. It never shares files. The report has the bytes that were written and the bytes that were shared. \
      Holes in files stay holes. FIFOs, sockets and devices are left out. If the destination is a folder and no \
      package, the copy gets the document's name in it.

      Examples:
        docpkg copy Trip.imageNotes "Trip, shortened.imageNotes"
        docpkg copy Trip.imageNotes Backups/

      \(ExitStatus.help)
      """)

  @Argument(path: "The document to copy.")
  var source: String

  @Argument(path: "The path of the copy, or a folder for it; nothing may exist at that path yet.")
  var destination: String

  @OptionGroup var writing: WritingOptions

  var path: String { source }

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
