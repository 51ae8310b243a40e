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
    let store = try await PackageStore.open(at: url(path))
    if writing.dryRun { return try writing.report(await store.undoPlan()) }
    let report = try await store.undoSave(options: .overwritesReadOnly)
    try await store.close()
    try writing.report(report, of: path)
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
    let store = try await PackageStore.open(at: url(path))
    if writing.dryRun { return try writing.report(await store.redoPlan()) }
    let report = try await store.redoSave(options: .overwritesReadOnly)
    try await store.close()
    try writing.report(report, of: path)
  }
}
