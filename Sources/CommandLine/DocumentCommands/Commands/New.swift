import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import FoundationEssentials
import ImageNotes

struct New: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Create an ImageNotes document.",
    discussion: """
      Examples:
        docpkg new Trip.imageNotes --text-file Trip.txt --image Dawn.png
        docpkg new --in ~/Notes --naming timestamp --text "A thought"

      \(ExitStatus.help)
      """)

  @Argument(path: "The path of the new document; nothing may exist there yet.")
  var path: String?

  @Option(name: .customLong("in"), path: "Create it in this folder, with a name by convention.")
  var folder: String?

  @Option(help: "The convention: sequence (Notes 1), timestamp or uuid.")
  var naming: Naming = .sequence

  @Option(parsing: .unconditional, help: "The text.")
  var text: String?

  @Option(path: "A file with the text, - for standard input.")
  var textFile: String?

  @Option(name: .customLong("image"), paths: "An image to add; may be given more than once.")
  var images: [String] = []

  @Option(
    parsing: .unconditional, help: "A name for the document, instead of the first line of its text.")
  var title: String?

  @Flag(name: .shortAndLong, help: "Accept a name with the extension of another type.")
  var force = false

  @OptionGroup var writing: WritingOptions

  enum Naming: String, ExpressibleByArgument, CaseIterable {
    case sequence, timestamp, uuid

    var convention: FilenameConvention {
      switch self {
      case .sequence: .sequence("Notes")
      case .timestamp: .timestamp
      case .uuid: .uuid
      }
    }
  }

  func validate() throws {
    if (path == nil) == (folder == nil) {
      throw ValidationError("Give either a path or --in with a folder.")
    }
    if text != nil && textFile != nil { throw ValidationError("Give either --text or --text-file.") }
  }

  func run() async throws {
    var notes = ImageNotes(text: try CommandSupport.text(text, file: textFile) ?? "")
    notes.customName = title
    for image in images { try notes.add(imageAt: url(image)) }
    let path = try self.path ?? pathByConvention()
    if !force { try checkImageNotesExtension(of: path, advice: ", or give --force") }
    if writing.dryRun {
      return try writing.report(PackageStore.plan(creating: notes, at: url(path)).listed, making: path)
    }
    let document = Document(fileURL: url(path), content: notes, options: .oneSave([]))
    let report = try await interruptible {
      try await document.close(after: document.save(to: url(path), for: .forCreating))
    }
    try writing.report(report, making: path)
  }

  private func names(in folder: String) throws -> [String] {
    do {
      return try FileWrapper(url: url(folder)).childNames()
    } catch {
      // The errors of a document name a document, and this is a folder of documents.
      let cause = (error as? CocoaError)?.userInfo["NSUnderlyingError"] ?? error
      guard var problem = cause as? FilePackageError else { throw error }
      (problem.operation, problem.subject) = (.search, .folder)
      throw problem
    }
  }

  private func pathByConvention() throws -> String {
    let folder = folder ?? "."
    let taken = try names(in: folder)
    return "\(folder)/\(naming.convention.name(amongst: taken, extension: "imageNotes"))"
  }
}
