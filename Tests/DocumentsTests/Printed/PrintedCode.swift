import Documents
import Foundation
import ImageNotes

// README.md, Docs/Documents.md and Docs/DocumentType.md print the lines between the braces: `PrintedCodeTests` compares them.

func printedInReadme(url: URL, photo: URL) async throws {
  let document = try await Document<ImageNotes>.open(at: url)
  // Never waits for the disk; autosaves.
  try await document.edit("Typing") { $0.text += "The hut at last.\n" }
  try await document.edit("Add Image") { try $0.add(imageAt: photo, caption: "Evening") }
  try await document.undo()
  try await document.redo()
  let report = try await document.save()
  // wrote Images.txt, Images/Hut.jpeg, Metadata.plist, Text.txt (80.1 KB), reused 2 (188 KB)
  print(report)
  try await document.close()
}

func printedInDocuments(url: URL) async throws -> (Document<ImageNotes>, TerminationHandler) {
  let document = try await Document<ImageNotes>.open(at: url)
  let termination = TerminationHandler(closing: document)
  return (document, termination)
}

func printedOfOptions(url: URL) async throws {
  var options = DocumentOptions<TravelLog>()
  options.autosave = AutosavePolicy(quietPeriod: .seconds(1))
  options.keepsHistory = false
  let document = Document(fileURL: url, content: TravelLog(), options: options)
  try await document.save(to: url, for: .forCreating)
}

func printedOfNames(folder: URL) async throws -> Document<TravelLog> {
  let taken = try FileWrapper(url: folder).childNames()
  let name = FilenameConvention.sequence("Log").name(amongst: taken, extension: "travellog")
  let log = try await Document.create(TravelLog(), at: folder.appending(path: name))
  return log
}
