import ArgumentParser
import FilePackages
import FoundationEssentials

struct Undo: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back the last save of a document.",
    discussion: """
      Undoing again takes back the save before that. It is a save itself, and `docpkg redo` takes it back. Only a document \
      that keeps history can be brought back: `docpkg versions start` begins one.

      Example:
        docpkg undo Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(help: "Replace and remove children that are read-only.")
  var force = false

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    try await writing.goBack(path) {
      try await $0.undoPlan()
    } save: {
      try await $0.undoSave(options: force ? [.overwritesReadOnly, .cancellable] : .cancellable)
    }
  }
}

struct Redo: CoordinatedCommand {
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

  @Argument(path: "The document.")
  var path: String

  @Flag(help: "Replace and remove children that are read-only.")
  var force = false

  @OptionGroup var writing: WritingOptions

  func run() async throws {
    try await writing.goBack(path) {
      try await $0.redoPlan()
    } save: {
      try await $0.redoSave(options: force ? [.overwritesReadOnly, .cancellable] : .cancellable)
    }
  }
}

extension WritingOptions {
  /// Restores another version, or prints the plan of that.
  fileprivate func goBack(
    _ path: String, plan: (PackageStore) async throws -> SavePlan,
    save: @escaping @Sendable (PackageStore) async throws -> RestoreReport
  ) async throws {
    let store = try await PackageStore.open(at: url(path))
    guard try await store.keepsHistory() else {
      throw InputError(
        description: "'\(display(path))' keeps no history, so that no save can be taken back; "
          + "'docpkg versions start \(display(path))' begins one.")
    }
    if dryRun { return try report(await plan(store)) }
    let done = try await interruptible(with: store) {
      var done = try await save(store)
      done.save = await store.close(after: done.save)
      return done
    }
    try report(done, of: path)
  }
}
