import Documents
import FilePackages
import FoundationEssentials
import ImageNotes

extension Document<ImageNotes> {
  /// Opens an ImageNotes document, by its type or, in the classic shape, by its `Text.txt`.
  static func openNotes(
    at path: String, _ options: DocumentOptions<ImageNotes>
  ) async throws -> Document<ImageNotes> {
    let document = try await Document.open(at: url(path), options: options)
    let type = await document.fileType
    if type.conforms(to: .imageNotes) { return document }
    if try FileWrapper(url: url(path)).child(named: "Text.txt")?.isRegularFile == true { return document }
    try await document.close(discardingChanges: true)
    throw ImageNotes.anotherType(type, path)
  }
}

extension DocumentOptions<ImageNotes> {
  /// For a command that saves once: what could not be saved is done by giving the command again, so that no recovery copy
  /// is made; the save returns once other programs see it.
  static func oneSave(_ saving: PackageStore.SavingOptions) -> DocumentOptions {
    var options = DocumentOptions()
    options.autosave = nil
    options.recoveryFolder = nil
    options.watchesDisk = false
    // The command itself has its turn.
    options.takesTurns = false
    options.saving = saving
    return options
  }
}

extension ImageNotes {
  /// Adds a paragraph at the end of the text.
  mutating func append(paragraph: String) {
    if !text.isEmpty && !text.hasSuffix("\n") { text += "\n" }
    text += paragraph + "\n"
  }
}
