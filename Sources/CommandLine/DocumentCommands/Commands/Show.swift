import ArgumentParser
import CommandSupport
import Documents
import FilePackages
import ImageNotes

struct Show: CoordinatedCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show the title, the text and the images of an ImageNotes document.",
    discussion: """
      Example:
        docpkg show Trip.imageNotes

      \(ExitStatus.help)
      """)

  @Argument(path: "The document.")
  var path: String

  @Flag(name: .long, help: "Print JSON.")
  var json = false

  func run() async throws {
    let shown = try await PackageStore.reading(at: url(path)) { [path] store in
      ShownNotes(try await ImageNotes.read(store, path))
    }
    if json { return try printJSON(shown) }
    var output = StandardOutput()
    shown.print(to: &output)
  }
}

extension ImageNotes {
  /// Opens an ImageNotes document, which has that type or, in the classic shape, a `Text.txt`.
  static func open(_ path: String) async throws -> (store: PackageStore, notes: ImageNotes) {
    let store = try await PackageStore.open(at: url(path))
    return (store, try await read(store, path))
  }

  /// Reads an open package as ImageNotes.
  static func read(_ store: PackageStore, _ path: String) async throws -> ImageNotes {
    let isNotes = await store.knownContentType.conforms(to: .imageNotes)
    let hasText = try await store.tree.child(named: "Text.txt")?.isRegularFile == true
    guard isNotes || hasText else { throw anotherType(try await store.shownContentType, path) }
    return try await store.content()
  }
}

extension PackageStore {
  /// The type of the package, after the declaration of this program's own types, which only few commands need.
  var knownContentType: UTType {
    _ = ImageNotes.readableContentTypes  // The access declares the type.
    return contentType
  }
}
