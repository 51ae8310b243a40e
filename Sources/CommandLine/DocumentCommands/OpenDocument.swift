import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ImageNotes

extension Document<ImageNotes> {
  /// Opens an ImageNotes document, which has that type or, in the classic shape, a `Text.txt`.
  ///
  /// Its store has no delays, because it is closed after one save. A timer costs a process its first threads.
  static func openNotes(
    at path: String, _ options: DocumentOptions<ImageNotes>
  ) async throws -> Document<ImageNotes> {
    let document = Document(fileURL: url(path), options: options, on: StorageEnvironment(delays: .none))
    try await document.open()
    let type = await document.fileType
    if type.conforms(to: .imageNotes) { return document }
    if try FileWrapper(url: url(path)).child(named: "Text.txt")?.isRegularFile == true { return document }
    try await document.close(discardingChanges: true)
    throw ImageNotes.anotherType(
      try await PackageStore.reading(at: url(path)) { try await $0.shownContentType }, path)
  }
}

extension ImageNotes {
  /// Makes the error for a package that is of another type.
  static func anotherType(_ type: UTType, _ path: String) -> InputError {
    // A general type says nothing: no name and no metadata tell the type.
    let kind =
      [.package, .folder].contains(type)
      ? "is no ImageNotes document" : "is a package of another type (\(type))"
    return InputError(
      description: "'\(display(path))' \(kind). Edit its children with --set and --remove.")
  }
}

extension DocumentOptions<ImageNotes> {
  /// Makes the options for a command that saves once.
  ///
  /// It makes no recovery copy, because the user can give the command again. The save returns once other programs
  /// see it.
  static func oneSave(_ saving: PackageStore.SavingOptions) -> DocumentOptions {
    var options = DocumentOptions()
    options.autosave = nil
    options.recoveryFolder = nil
    options.watchesDisk = false
    // The command coordinates already.
    options.isCoordinated = false
    (options.saving, options.keepsHistory) = (saving, false)
    return options
  }
}

extension ImageNotes {
  /// Adds a paragraph at the end of the text.
  mutating func append(paragraph: String) {
    // By bytes, since "\r\n" is one character.
    if let last = text.utf8.last, last != UInt8(ascii: "\n") { text += "\n" }
    text += paragraph + "\n"
  }
}
