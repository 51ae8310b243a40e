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
  let options = DocumentOptions<TravelLog> {
    $0.autosave = AutosavePolicy(quietPeriod: .seconds(1))
    $0.keepsHistory = false
  }
  let document = Document(fileURL: url, content: TravelLog(), options: options)
  try await document.save(to: url, for: .forCreating)
}

func printedOfLife(url: URL) async throws {
  let log = try await Document.create(TravelLog(), at: url)
  try await log.edit("Typing") { $0.text = "Over the pass to the hut." }
  try await log.undo()
  try await log.redo()
  print(try await log.save())
  try await log.close()
  let again = try await Document<TravelLog>.open(at: url)
  print(try await again.content.text)
  try await again.close()
}

func printedOfNames(folder: URL) async throws -> Document<TravelLog> {
  let taken = try FileWrapper(url: folder).childNames()
  let name = FilenameConvention.sequence("Log").name(amongst: taken, extension: "travellog")
  let log = try await Document.create(TravelLog(), at: folder.appending(path: name))
  return log
}

func printedOfFullDisk(document: Document<TravelLog>) async throws {
  do {
    try await document.save()
  } catch {
    guard error.fileError?.code == .noSpace else { throw error }
    print(error, error.recoveryCopy ?? "")
  }
}
