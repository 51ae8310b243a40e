import ArgumentParser
import FilePackages
import ManagedDocuments

struct Copy: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy",
    abstract: "Save a document as another one.",
    discussion: """
      The copy has an identifier of its own. If the file system can share blocks, the copy shares them with the \
      original. It never shares files. The report has the bytes that were written and the bytes that were shared. \
      Holes in files stay holes. FIFOs, sockets and devices are left out. If the destination is a folder and no \
      package, the copy gets the document's name in it.

      A document with a database is copied at one moment, also while another program edits it, with all edits so far. \
      The copy can undo nothing, and its database is one file without a log.

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
    if let package = managedPackage(source) {
      if writing.dryRun { return try writing.report(await package.copyPlan(to: url(destination))) }
      let report = try await showingProgress { try await package.copy(to: url(destination), progress: $0) }
      return try writing.report(report, of: destination)
    }
    let store = try await PackageStore.open(at: url(source))
    if writing.dryRun { return try writing.report(await store.copyPlan(to: url(destination))) }
    let report = try await showingProgress { try await store.copy(to: url(destination), progress: $0) }
    try writing.report(report, of: destination)
  }

  /// Copies the document, and shows the progress.
  private func showingProgress(
    _ copy: @escaping @Sendable (ByteProgress) async throws -> SaveReport
  ) async throws -> SaveReport {
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
        try await copy(progress)
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
