import ArgumentParser
import FilePackages
import FoundationEssentials

struct Undo: TurnTakingCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back the last save of a document.",
    discussion: """
      Undoing again takes back the save before that. It is a save itself, and `docpkg redo` takes it back.

      Example:
        docpkg undo Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(help: "The document.")
  var path: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    try await writing.goBack(path) {
      try await $0.undoPlan()
    } save: {
      try await $0.undoSave(options: [.overwritesReadOnly, .cancellable])
    }
  }
}

struct Redo: TurnTakingCommand {
  static let configuration = CommandConfiguration(
    commandName: "redo",
    abstract: "Take back `docpkg undo`.",
    discussion: """
      Only what was undone since the last other save can be redone; what was undone before stays among the versions, \
      and `docpkg restore` has it back.

      Example:
        docpkg redo Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(help: "The document.")
  var path: String

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    try await writing.goBack(path) {
      try await $0.redoPlan()
    } save: {
      try await $0.redoSave(options: [.overwritesReadOnly, .cancellable])
    }
  }
}

extension WritingOptions {
  /// Brings a document to another version, or says what that would do.
  fileprivate func goBack(
    _ path: String, plan: (PackageStore) async throws -> SavePlan,
    save: @escaping @Sendable (PackageStore) async throws -> RestoreReport
  ) async throws {
    let store = try await PackageStore.open(at: url(path))
    if dryRun { return try report(await plan(store)) }
    let done = try await interruptible {
      var done = try await save(store)
      done.save = await store.close(after: done.save)
      return done
    }
    try report(done, of: path)
  }
}
