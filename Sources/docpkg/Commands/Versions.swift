import ArgumentParser
import Documents
import FilePackages
import FoundationEssentials
import ManagedDocuments

struct Versions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "versions",
    abstract: "List the versions in the history of a document.",
    discussion: """
      The newest version is first. Each line has the identifier, the date, the generation, the bytes that only this \
      version has, and the children that the next save changed. Other commands accept the first digits of an \
      identifier. The present state has a star. `docpkg edit` keeps a version with each save of a document that has \
      'Metadata.plist'. `docpkg versions start` begins a history in any package. Docs/History.md describes the \
      retention policy.

      Examples:
        docpkg versions Trip.imageNotes
        docpkg versions start Book.epub
        docpkg versions prune Trip.imageNotes --dry-run
        docpkg versions stop Trip.imageNotes

      \(ExitStatus.help)
      """,
    subcommands: [VersionsList.self, VersionsStart.self, VersionsPrune.self, VersionsStop.self],
    defaultSubcommand: VersionsList.self)
}

struct VersionsList: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the versions.",
    discussion: """
      Example:
        docpkg versions Trip.imageNotes --json

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func run() async throws {
    let shown = try await shown()
    if json { return try printJSON(shown) }
    var output = StandardOutput()
    for version in shown { output.line(version.line) }
  }

  private func shown() async throws -> [ShownVersion] {
    if let package = managedPackage(path) {
      let current = try await package.summary().metadata
      return try await (current.map { [ShownVersion($0)] } ?? []) + package.versions().map(ShownVersion.init)
    }
    let (current, versions) = try await PackageStore.reading(at: url(path)) { store in
      (try await store.metadata(), try await store.versions())
    }
    return (current.map { [ShownVersion($0)] } ?? []) + versions.map(ShownVersion.init)
  }
}

/// A version in the list.
private struct ShownVersion: Encodable {
  /// The version in one line.
  let line: String
  var id: String
  var generation: Int
  var modified: Date
  var savingComputer: String
  var current: Bool
  var bytes: UInt64
  var discardable: Bool
  var changed: [String]

  init(_ current: PackageMetadata) {
    self.init(current, isCurrent: true, line: "* " + current.line)
  }

  init(_ version: FileVersion) {
    self.init(version.metadata, isCurrent: false, line: "  \(version)")
    (bytes, discardable, changed) = (version.keptBytes, version.isDiscardable, version.differences)
  }

  init(_ version: ManagedVersion) {
    self.init(version.metadata, isCurrent: false, line: "  \(version)")
    (bytes, discardable) = (version.keptBytes, version.isDiscardable)
  }

  private init(_ metadata: PackageMetadata, isCurrent: Bool, line: String) {
    self.line = line
    id = metadata.revision.uuidString
    generation = metadata.generation
    modified = metadata.modificationDate
    savingComputer = metadata.savingComputer
    (current, bytes, discardable, changed) = (isCurrent, 0, false, [])
  }

  private enum CodingKeys: String, CodingKey {
    case id, generation, modified, savingComputer, current, bytes, discardable, changed
  }
}

struct VersionsStart: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "start",
    abstract: "Begin a history of a document.",
    discussion: """
      Each later save keeps the version that it replaces, in any program that uses this library. A package of \
      another program gets a 'Metadata.plist', which names its states; every child is read once for that. A folder of \
      documents is no document: each of its documents has a history of its own.

      Example:
        docpkg versions start Book.epub

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    if let package = managedPackage(path) {
      if !writing.dryRun { try await package.editing { try await $0.startKeepingHistory() } }
      return try writing.tell(
        ["isDryRun": writing.dryRun], "\(display(path)): \(writing.dryRun ? "would keep" : "keeps") versions")
    }
    if try await folderKind(of: path) == .library {
      throw InputError(
        description:
          "'\(display(path))' is a folder, and no document, so it keeps no versions. Each document in it "
          + "keeps its own. If the folder is one document, give its name an extension.")
    }
    let store = try await PackageStore.open(at: url(path))
    let report = try await store.startKeepingHistory(dryRun: writing.dryRun)
    try await store.close()
    try writing.tell(report, "\(display(path)): \(report)")
  }
}

struct VersionsPrune: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove versions by the retention policy.",
    discussion: """
      The history keeps every version of the last hour, and one of each hour for a day. Older than that, it keeps \
      one of each day for 30 days, and then one of each week. If all versions take more than the budget, the oldest \
      are removed. The last version always stays. Closing a document thins its history in the same way. The command also \
      removes the versions before a gap, which 'docpkg verify' names: they cannot be put together.

      Examples:
        docpkg versions prune Trip.imageNotes --dry-run
        docpkg versions prune Trip.imageNotes --dry-run --budget 500M

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Option(help: "The most bytes of children that the history keeps from now on, also as 500M or 1G.")
  var budget: ByteCount?

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let report =
      if let package = managedPackage(path) { try await thin(package) } else { try await thin() }
    warn(report.warnings)
    let lines = report.removed.map { "remove \($0)" } + ["\(display(path)): \(report)"]
    try writing.tell(report, lines.joined(separator: "\n"))
  }

  private func thin(_ package: ManagedPackage) async throws -> ThinningReport {
    try await package.editing { document in
      if let budget, var policy = try await document.retentionPolicy() {
        policy.byteBudget = budget.bytes
        return try await document.thinHistory(under: policy, dryRun: writing.dryRun)
      }
      return try await document.thinHistory(dryRun: writing.dryRun)
    }
  }

  private func thin() async throws -> ThinningReport {
    let store = try await PackageStore.open(at: url(path))
    return try await interruptible(with: store) {
      var report: ThinningReport
      if let budget, var policy = try await store.retentionPolicy() {
        policy.byteBudget = budget.bytes
        if writing.dryRun { return try await store.thinningPlan(under: policy) }
        report = try await store.thinHistory(under: policy)
      } else {
        report = try await store.thinHistory(dryRun: writing.dryRun)
      }
      await store.close(noting: &report.warnings)
      return report
    }
  }
}

struct VersionsStop: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Remove all versions, and keep none from now on.",
    discussion: """
      'Metadata.plist' says so from then on, also that of a copy: no program begins a history in the document again. \
      `docpkg versions start` takes that back. A package without 'Metadata.plist' has no history in any case.

      With --forget, 'Metadata.plist' and the hidden folder '.docpkg' are removed, too, with the title, the digests \
      and everything else that they have. The package is then like one of another program. The command does not touch \
      another program's 'Metadata.plist', and refuses a document with conflict versions.

      Examples:
        docpkg versions stop Trip.imageNotes
        docpkg versions stop Book.epub --forget --dry-run

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(help: "Also remove 'Metadata.plist' and everything else that docpkg has in the package.")
  var forget = false

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    if !forget, let package = managedPackage(path) {
      let count = try await stop(package)
      let end = writing.dryRun ? "would be removed" : "removed"
      return try writing.tell(["removed": count], "\(display(path)): \(counted(count, "version")) \(end)")
    }
    let report = try await stop()
    warn(report.warnings)
    try writing.tell(report, "\(display(path)): \(report)")
  }

  private func stop(_ package: ManagedPackage) async throws -> Int {
    let count = try await package.versions().count
    if !writing.dryRun { try await package.editing { try await $0.stopKeepingHistory() } }
    return count
  }

  private func stop() async throws -> HistoryStopReport {
    let store = try await PackageStore.open(at: url(path))
    return try await interruptible(with: store) {
      var report =
        if forget {
          try await store.removeOwnFiles(dryRun: writing.dryRun)
        } else {
          try await store.stopKeepingHistory(dryRun: writing.dryRun)
        }
      await store.close(noting: &report.warnings)
      return report
    }
  }
}
