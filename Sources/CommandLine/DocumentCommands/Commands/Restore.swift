import ArgumentParser
import CommandSupport
import FilePackages
import FoundationEssentials

struct Restore: WritingCommand, DocumentCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a document, or one child of it, from a version.",
    discussion: """
      Restoring is a save like any other: the history keeps the state before it as a version, and `docpkg undo` \
      restores that version. A child that is the same as in the version is not written again.

      Examples:
        docpkg restore Trip.imageNotes --version 4F2A9C01
        docpkg restore Trip.imageNotes --version 4F2A9C01 Images/Dawn.png

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Argument(help: "The child; without one, the whole document.")
  var child: String?

  @Option(name: .long, help: "The version's identifier, or its first digits.")
  var version: String

  @Flag(name: .shortAndLong, help: "Replace and remove children that are read-only.")
  var force = false

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    let document = try packageWithVersions(at: path)
    switch try await document.restore(
      version, child: child, saving: SavingOptions(force: force), dryRun: writing.dryRun, quiet: writing.quiet
    )
    {
    case .planned(let steps): try writing.report(steps)
    case .done(let report): try writing.report(report, of: path)
    }
  }
}

extension SavingOptions {
  /// The options of a save that an interrupt ends; with `--force` it overwrites read-only children.
  init(force: Bool) {
    self = force ? [.overwritesReadOnly, .cancellable] : .cancellable
  }
}

extension WritingOptions {
  /// Prints the report of a restore.
  ///
  /// - Throws: the exit status for differences if a child could not be restored.
  func report(_ report: RestoreReport, of path: String) throws {
    try self.report(report.save, of: path)
    for line in report.lostLines { StandardError.write("docpkg: \(line)\n") }
    if !report.lost.isEmpty { throw ExitCode(ExitStatus.different) }
  }
}

extension PackageStore {
  /// Returns the identifier of the present state if `text` begins it, and no version's identifier.
  func present(_ text: String) throws -> UUID? {
    let begins: (UUID) -> Bool = { $0.uuidString.hasPrefix(text.uppercased()) }
    guard !text.isEmpty, let present = try metadata()?.revision, begins(present) else { return nil }
    return try versions().contains { begins($0.persistentIdentifier) } ? nil : present
  }

  /// Finds the version whose identifier begins with `text`, in either case.
  ///
  /// - Parameter inConflict: whether conflict versions count too.
  func version(_ text: String, inConflict: Bool = false) throws -> FileVersion {
    let all = try versions() + (inConflict ? conflictVersions().map { FileVersion($0, at: url) } : [])
    let found = all.filter { $0.persistentIdentifier.uuidString.hasPrefix(text.uppercased()) }
    guard let version = found.first, !text.isEmpty else {
      throw InputError(description: "There is no version '\(display(text))'; 'docpkg versions' lists them.")
    }
    guard found.count == 1 else {
      throw InputError(description: "More than one version begins with '\(display(text))'.")
    }
    return version
  }
}
