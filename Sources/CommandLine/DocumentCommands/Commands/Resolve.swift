import ArgumentParser
import CommandSupport
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import ImageNotes
import SystemPackage

struct Resolve: WritingCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "resolve",
    abstract: "Resolve the conflict versions of a document.",
    discussion: """
      With --keep the document becomes that version. If --keep names several versions, the document becomes the \
      first, and each other one becomes a document of its own beside it. `present` is the document itself. With \
      --merge, all versions are merged. A child that only one side changed is taken from that side, and texts that \
      both sides changed are merged by line. If both sides changed the same, nothing is saved and the exit status is \
      1, unless --both is given. With --both, such a text gets the lines of both sides between marks. Of any other \
      file, the document gets both.

      Of a document with a database, --keep names the conflicts of rows whose other values the document gets. With \
      'present', all other rows stay as they are, and their conflicts end.

      Resolving is one save. The history keeps the document before it as a version, and `docpkg undo` restores that \
      version. The conflict copies of synchronising programs are removed. With --keep, the command names the versions \
      that it removes. A version that arrives meanwhile stays in conflict, and a warning names it.

      Examples:
        docpkg resolve Trip.imageNotes --merge
        docpkg resolve Trip.imageNotes --keep 4F2A9C01
        docpkg resolve Trip.imageNotes --keep present 4F2A9C01

      Exit status: 0 done, or nothing was in conflict; 1 not resolved, because both sides changed the same; 2 failed, nothing lost; 64 usage.
      """)

  @Argument(path: "The document.")
  var path: String

  @Option(
    name: .long, parsing: .upToNextOption,
    help: ArgumentHelp(
      "The version to use: its identifier, its first digits, or 'present'.", valueName: "id"))
  var keep: [String] = []

  @Flag(name: .long, help: "Merge all versions.")
  var merge = false

  @Flag(name: .long, help: "With --merge, save both sides if both changed the same.")
  var both = false

  @Flag(name: .shortAndLong, help: "Replace and remove children that are read-only.")
  var force = false

  @OptionGroup var writing: WritingOptions

  func validate() throws {
    if !keep.isEmpty && merge { throw choice }
    if both && !merge { throw ValidationError("--both says how --merge decides.") }
  }

  private var choice: ValidationError { ValidationError("Give either --keep with a version, or --merge.") }

  private var options: PackageStore.SavingOptions {
    force ? [.keepsHistory, .overwritesReadOnly] : .keepsHistory
  }

  func run() async throws {
    if let database = try databaseDocument(at: path) as? any RowConflictDocument,
      case let rows = try await database.rowConflicts(), !rows.isEmpty
    {
      return try await resolve(rows, of: database)
    }
    let store = try await PackageStore.open(at: url(path))
    let versions = try await store.conflictVersions()
    if versions.isEmpty {
      let line = "\(display(path)): nothing is in conflict"
      if writing.dryRun { return try writing.tell(["plan": [PlannedStep]()], line) }
      return try writing.tell(SaveReport(strategy: .none), line)
    }
    if keep.isEmpty && !merge { throw choice }
    try await interruptible(with: store) { [self] in
      try await merge ? mergeVersions(in: store) : keep(of: versions, in: store)
    }
  }

  // MARK: Rows

  private func resolve(_ rows: [ShownRowConflict], of database: any RowConflictDocument) async throws {
    guard !keep.isEmpty else { throw ValidationError("Rows in conflict need --keep; they have no --merge.") }
    let taken = try keep.filter { $0 != "present" }.map { try row($0, among: rows) }
    let left = keep.contains("present") ? rows.map(\.id).filter { !taken.contains($0) } : []
    if writing.dryRun {
      let changed = rows.filter { taken.contains($0.id) || left.contains($0.id) }
      return try writing.tell(["rows": changed], changed.map(\.line).joined(separator: "\n"))
    }
    let report = try await database.resolveRows(taking: taken, leaving: left)
    try writing.tell(report, "\(display(path)): resolved \(counted(taken.count + left.count, "conflict"))")
  }

  private func row(_ text: String, among rows: [ShownRowConflict]) throws -> UUID {
    let found = rows.filter { $0.id.uuidString.hasPrefix(text.uppercased()) }
    guard let row = found.first, found.count == 1, !text.isEmpty else {
      throw InputError(
        description: found.isEmpty
          ? "No row '\(display(text))' is in conflict; 'docpkg conflicts' lists those that are."
          : "More than one row begins with '\(display(text))'.")
    }
    return row.id
  }

  // MARK: Merging

  private func mergeVersions(in store: PackageStore) async throws {
    let isNotes = await store.knownContentType.conforms(to: .imageNotes)
    if writing.dryRun {
      let (plan, conflicts) = try await store.mergingPlan(
        as: isNotes ? ImageNotes.self : nil, keepingBoth: both)
      if let plan { return try writing.report(plan) }
      return try report(conflicts)
    }
    let report =
      isNotes
      ? try await store.mergeConflicts(as: ImageNotes.self, keepingBoth: both, options: options)
      : try await store.mergeConflicts(keepingBoth: both, options: options)
    if let save = report.save { return try writing.report(await store.close(after: save), of: path) }
    try self.report(report.conflicts)
  }

  private func report(_ conflicts: [MergeConflict]) throws {
    if writing.json && !writing.quiet {
      try printJSON(["conflicts": conflicts.map(ShownMergeConflict.init)])
    } else if !writing.quiet {
      for conflict in conflicts { StandardError.write("docpkg: \(conflict)\n") }
      StandardError.write(
        "docpkg: nothing was saved; choose a version with --keep, or save both sides with --merge --both\n")
    }
    throw ExitCode(ExitStatus.different)
  }

  // MARK: Keeping

  private func keep(of versions: [ConflictVersion], in store: PackageStore) async throws {
    var chosen: [ConflictVersion?] = []
    for text in keep {
      let version = try await store.conflict(text, of: versions)
      if !chosen.contains(version) { chosen.append(version) }
    }
    let first = chosen.removeFirst()
    var places: [String] = []
    for version in chosen { places.append(freePath(for: version, besides: places)) }
    if writing.dryRun {
      for place in places where !writing.quiet { StandardError.write("docpkg: makes '\(display(place))'\n") }
      return try writing.report(await store.resolvingPlan(keeping: first?.id))
    }
    // The command makes the other documents before the save removes any version.
    for (version, place) in zip(chosen, places) {
      try await store.makeDocument(ofConflict: version?.id, at: url(place))
      if !writing.quiet { StandardError.write("docpkg: made '\(display(place))'\n") }
    }
    let report = try await store.resolveConflicts(versions, keeping: first?.id, options: options)
    for version in versions where version.id != first?.id && !chosen.contains(version) && !writing.quiet {
      StandardError.write("docpkg: removed version \(version)\n")
    }
    try writing.report(await store.close(after: report), of: path)
  }

  /// Returns a free path beside the document, with the name in it of the computer or device that saved the version.
  private func freePath(for version: ConflictVersion?, besides taken: [String]) -> String {
    let document = FilePath(path)
    let (stem, end) = (document.stem ?? "", document.extension.map { ".\($0)" } ?? "")
    let present = version == nil ? contentDevice(at: path) : nil
    let label = version?.label ?? present?.replacing("/", with: ":") ?? "present"
    return firstFree { number in
      let name = "\(stem) (\(label)\(number == 1 ? "" : " \(number)"))\(end)"
      return document.removingLastComponent().appending(name).string
    } isTaken: {
      taken.contains($0) || nodeStatus($0, following: false) != nil
    }
  }
}

/// A merge conflict in the output.
private struct ShownMergeConflict: Encodable {
  var path: String
  var kind: String
  var lines: [Int]

  init(_ conflict: MergeConflict) {
    path = conflict.path
    kind = conflict.kind.rawValue
    lines = conflict.lines.map { $0.baseLine + 1 }
  }
}

extension PackageStore {
  /// Finds the conflict version whose identifier begins with `text`; nil for the document itself.
  fileprivate func conflict(_ text: String, of versions: [ConflictVersion]) throws -> ConflictVersion? {
    if text == "present" { return nil }
    let found = versions.filter { $0.id.uuidString.hasPrefix(text.uppercased()) }
    if found.isEmpty, try metadata()?.revision.uuidString.hasPrefix(text.uppercased()) == true, !text.isEmpty
    {
      return nil
    }
    guard let version = found.first, !text.isEmpty else {
      throw InputError(
        description: "No version '\(display(text))' is in conflict; 'docpkg conflicts' lists those that are.")
    }
    guard found.count == 1 else {
      throw InputError(description: "More than one version begins with '\(display(text))'.")
    }
    return version
  }

  /// Makes a document of a conflict version.
  fileprivate func makeDocument(ofConflict id: UUID?, at url: URL) async throws {
    let made = try await Self.create(
      contents(ofConflict: id), at: url, contentType: contentType)
    try await made.store.close()
  }
}
