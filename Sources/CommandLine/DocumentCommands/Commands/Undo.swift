import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials

struct Undo: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the last save of a document.",
    discussion: """
      Each further undo goes back by one more save. An undo is a save itself, and `docpkg redo` reverses it. Only a \
      document with a history can be undone; `docpkg versions start` begins a history.

      Example:
        docpkg undo Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(name: .shortAndLong, help: "Replace and remove children that are read-only.")
  var force = false

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    try await goBack(force, plan: { try await $0.undoPlan() }, save: { try await $0.undoSave(options: $1) })
  }
}

struct Redo: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Redo the save that `docpkg undo` undid.",
    discussion: """
      Redo works only for saves that were undone since the last other save. The history keeps earlier ones as \
      versions, and `docpkg restore` restores them.

      Example:
        docpkg redo Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(name: .shortAndLong, help: "Replace and remove children that are read-only.")
  var force = false

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    try await goBack(force, plan: { try await $0.redoPlan() }, save: { try await $0.redoSave(options: $1) })
  }
}

extension WritingCommand {
  /// Restores another version, or prints the plan of that.
  fileprivate func goBack(
    _ force: Bool, plan: (PackageStore) async throws -> SavePlan,
    save: @escaping @Sendable (PackageStore, SavingOptions) async throws -> RestoreReport
  ) async throws {
    if try hasDatabase(path) {
      throw InputError(
        description: "'\(display(path))' has a database, and its own program undoes edits; "
          + "no version of it is kept.")
    }
    let store = try await PackageStore.open(at: url(path))
    guard try await store.keepsHistory() else {
      if await folderKind(of: path) == .library {
        throw InputError(
          description: "'\(display(path))' is a folder, and no document: no change in it can be undone.")
      }
      let isOthers = try await store.metadata() == nil && folderSigns(path)?.hasMetadata == true
      throw InputError(
        description: "'\(display(path))' keeps no history, so no save can be undone"
          + (isOthers
            ? ". It can have none, since its 'Metadata.plist' is another program's."
            : "; 'docpkg versions start \(display(path))' begins one."))
    }
    if writing.dryRun { return try writing.report(await plan(store)) }
    let done = try await interruptible(with: store) {
      var done = try await save(store, SavingOptions(force: force))
      done.save = await store.close(after: done.save)
      return done
    }
    try writing.report(done, of: path)
  }
}
