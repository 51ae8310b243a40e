import ArgumentParser
import CloudContainers
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ObjectStores

extension Cloud {
  struct Sync: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "sync",
      abstract: "Bring a container folder and its container together.",
      discussion: """
        Prints a line for each document with news: renamed, uploaded, downloaded, merged, conflict, deleted, removed or \
        failed. Links, and names that some machine could not have, are left out, with a line for each. \
        A document that fails, or that the store refuses, does not stop the others. A run that finds nothing makes one request. One process at a \
        time works on a folder.

        With --dry-run the command prints the steps of this moment, and changes nothing, here and in the store. It \
        says merge for a document that both sides changed: only the merge finds a conflict.

        With --watch the command continues until it is interrupted. It looks at the folder when a document changes, \
        and at the container every --interval seconds. Each report has the requests and bytes since the last one. While there is no connection it tries again at the same times. \
        'systemctl --user enable --now docpkg-cloud@$(systemd-escape -p ~/Cloud)' runs it as a service.

        Examples:
          docpkg cloud sync ~/Cloud
          docpkg cloud sync ~/Cloud --watch --interval 10

        \(ExitStatus.help) 130 if Ctrl-C interrupts the command.
        """)

    @OptionGroup var argument: FolderArgument

    @Flag(help: "Continue, and sync again after each change.")
    var watch = false

    @Flag(name: [.customShort("n"), .long], help: "Print what would be done, and change nothing.")
    var dryRun = false

    @OptionGroup var transfer: TransferOptions

    @Option(
      help: ArgumentHelp("The time between two looks at the container, with --watch.", valueName: "seconds"))
    var interval = 30

    @Flag(name: .shortAndLong, help: "Print nothing but errors.")
    var quiet = false

    @Flag(
      help:
        "Print the report as JSON; with --watch one a line, with the requests and bytes since the last line.")
    var json = false

    func validate() throws {
      if !(1...86_400).contains(interval) {
        throw ValidationError("--interval is a number of seconds from 1 to 86400.")
      }
      if watch && dryRun { throw ValidationError("--dry-run looks once, without --watch.") }
    }

    func run() async throws {
      let progress = TransferProgress()
      let (path, dryRun, limits) = (argument.path, dryRun, transfer.limits)
      if watch {
        return try await interruptible(saying: Cloud.interruption) { [self] in
          let folder = try await CloudFolder.open(at: path, progress, limits)
          try await ContinuousSync(folder: folder, interval: interval).run { news, problems in
            progress.clear()
            if news.hasWork || !problems.isEmpty { try tell(news, problems) }
          }
        }
      }
      let (report, traffic) = try await interruptible(saying: Cloud.interruption) {
        let folder = try await CloudFolder.open(at: path, progress, limits)
        let report =
          dryRun
          ? try await folder.container.plan()
          : try await folder.container.sync()
        return (report, folder.traffic)
      }
      progress.clear()
      var news = SyncNews(report, traffic)
      news.dryRun = dryRun
      try tell(news, news.problems)
      if let status = news.status { throw ExitCode(status) }
    }

    private func tell(_ news: SyncNews, _ problems: [String]) throws {
      for problem in problems { StandardError.write("docpkg: \(problem)\n") }
      if quiet { return }
      try Cloud.tell(news, news.lines, asJSON: json, as: watch ? .news : .report)
    }
  }
}

/// The news of one synchronization.
package struct SyncNews: Encodable {
  package struct Document: Encodable {
    var name: String
    /// The name that the document had here before.
    var oldName: String?
    var events: [String]
    /// The children that one side removed and that stay, since the other side changed them.
    var kept: [String]
    var error: String?

    /// The verb of an event: `upload` for `uploaded`.
    private static func verb(_ event: String) -> String {
      let verbs = ["conflict": "get a conflict version", "merged": "merge", "failed": "fail"]
      if let verb = verbs[event] { return verb }
      // Upload, download, rename, delete, remove.
      return String(event.dropLast(event.hasSuffix("loaded") ? 2 : 1))
    }

    /// One line, such as `renamed, uploaded Case 2.txt (was case.txt)`.
    fileprivate func line(isPlan: Bool) -> String {
      let old = oldName.map { " (was \(display($0)))" } ?? ""
      let names = kept.map { "'\(display($0))'" }.joined(separator: ", ")
      let suffix = kept.isEmpty ? "" : " (one side removed \(names), the other one changed it: kept)"
      let words =
        isPlan ? "would " + events.map(Self.verb).joined(separator: ", ") : events.joined(separator: ", ")
      return "\(words) \(display(name))\(old)\(suffix)"
    }
  }

  /// Whether nothing was done, and `events` are the steps of a run.
  var dryRun = false
  var documents: [Document]
  /// The documents whose last version the store had lost, and that went there again.
  var lost: [String]
  /// The items in the folder that are no documents, each with the reason.
  var leftOut: [String]
  var problems: [String]
  var discovered: Int
  var requests: Int
  var bytesSent: UInt64
  var bytesReceived: UInt64

  init(_ report: SyncReport, _ traffic: StoreTraffic) {
    documents = report.documents.map { document in
      Document(
        name: document.name, oldName: document.oldName, events: document.events, kept: document.kept,
        error: document.error.map { errorMessage(of: $0) })
    }
    problems = report.problems.map { errorMessage(of: $0) } + documents.compactMap(\.error)
    (discovered, lost, leftOut) = (report.discovered, report.lost, report.leftOut)
    (requests, bytesSent, bytesReceived) = (traffic.requests, traffic.bytesSent, traffic.bytesReceived)
  }

  /// Whether a document changed, here or in the container.
  var hasWork: Bool { !lost.isEmpty || documents.contains { $0.events != ["failed"] } }

  /// The exit status; nil if all is well.
  var status: Int32? {
    if !problems.isEmpty { return ExitStatus.failed }
    return documents.contains { $0.events.contains("conflict") } ? ExitStatus.different : nil
  }

  /// The words for a run without work on a document.
  private var idle: String {
    if discovered > 0 { return "\(counted(discovered, "document")) new in the container; " }
    return problems.isEmpty ? "nothing to do; " : ""
  }

  var lines: [String] {
    lost.map { "the store had lost the last version of \(display($0))" }
      + leftOut.map { "left out \($0)" } + documents.map { $0.line(isPlan: dryRun) } + [
        (documents.isEmpty ? idle : "")
          + "\(counted(requests, "request")), \(SaveReport.bytes(bytesSent)) sent, "
          + "\(SaveReport.bytes(bytesReceived)) received"
      ]
  }
}
