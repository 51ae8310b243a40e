import ArgumentParser
import Documents
import FilePackages
import ImageNotes

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the title, the text and the images of an ImageNotes document.",
    discussion: """
      Example:
        docpkg show Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(help: "The document.")
  var path: String

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func run() async throws {
    let shown = try await PackageStore.reading(at: url(path)) { [path] store in
      let notes = try await ImageNotes.read(store, path)
      return Shown(title: notes.displayName, text: notes.text, images: notes.images.map(ShownImage.init))
    }
    if json { return try printJSON(shown) }
    var output = StandardOutput()
    output.line(display(shown.title))
    if !shown.text.isEmpty {
      output.line("")
      output.write(shown.text.hasSuffix("\n") ? shown.text : shown.text + "\n")
    }
    if !shown.images.isEmpty { output.line("") }
    for image in shown.images { output.line(image.line) }
  }

  private struct Shown: Encodable {
    var title: String
    var text: String
    var images: [ShownImage]
  }
}

/// What there is to say about one image.
private struct ShownImage: Encodable {
  var name: String
  var originalFilename: String
  var caption: String
  var format: String?
  var width: Int?
  var height: Int?
  var size: UInt64?
  /// Why there is no format.
  var problem: String?

  init(_ image: ImageNotes.Image) {
    name = image.name
    originalFilename = image.originalFilename
    caption = image.caption
    do {
      size = try image.file().regularFileSize
      let header = try image.header()
      format = header.format.rawValue
      (width, height) = (header.displayWidth, header.displayHeight)
    } catch {
      problem = "\(error)"
    }
  }

  var line: String {
    var parts = [display(name)]
    if let format, let width, let height { parts.append("\(format), \(width) × \(height)") }
    if let size { parts.append(SaveReport.bytes(size)) }
    if let problem { parts.append(problem) }
    if originalFilename != name { parts.append("was \(display(originalFilename))") }
    if !caption.isEmpty { parts.append("“\(display(caption))”") }
    return parts.joined(separator: "  ")
  }
}

extension ImageNotes {
  /// Opens an ImageNotes document, by its type or, in the classic shape, by its `Text.txt`.
  static func open(_ path: String) async throws -> (store: PackageStore, notes: ImageNotes) {
    let store = try await PackageStore.open(at: url(path))
    return (store, try await read(store, path))
  }

  /// Reads an open package as ImageNotes.
  static func read(_ store: PackageStore, _ path: String) async throws -> ImageNotes {
    let isNotes = await store.knownContentType.conforms(to: .imageNotes)
    let hasText = try await store.tree.child(named: "Text.txt")?.isRegularFile == true
    guard isNotes || hasText else {
      throw InputError(
        description: "'\(display(path))' is a package of another type (\(await store.knownContentType)). "
          + "Edit its children with --set and --remove.")
    }
    return try await store.content()
  }
}

extension PackageStore {
  /// The type of the package, once those that this program brings are declared: only few commands need them.
  var knownContentType: UTType {
    _ = ImageNotes.readableContentTypes
    return contentType
  }
}
