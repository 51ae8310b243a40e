import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import ImageNotes
import PackageArchive

/// Makes documents of the library.
struct NewDocument {
  let library: NotesLibrary
  private static let pathExtension = "imageNotes"

  /// Makes a document of a content.
  ///
  /// - Parameters:
  ///   - name: the wished name, without extension; nil for the next one of the convention.
  ///   - place: the folder; nil for that of new documents.
  func make(_ notes: ImageNotes, named name: String? = nil, in folder: URL? = nil) async throws
    -> NamedDocument
  {
    try await atFreePlace(named: name, in: folder) { url in
      let document = Document(fileURL: url, content: notes)
      try await document.save(to: url, for: .forCreating)
      try await document.close()
    }
  }

  /// Makes a document of a file that a page sent: an archive, another program's document, a picture or a text.
  ///
  /// - Parameter folder: the pictures that the page sent with a text in Markdown; nil for none.
  func make(from file: URL, with folder: URL? = nil) async throws -> NamedDocument {
    let name = String(FileName(file.deletingPathExtension().lastPathComponent).display)
    // A file without a header of a picture is of another kind.
    if (try? ImageHeader(of: FileWrapper(regularFileWithContentsOf: file))) != nil {
      var notes = ImageNotes()
      try notes.add(imageAt: file)
      return try await make(notes, named: name)
    }
    let format = InterchangeFormat(filename: file.lastPathComponent)
    switch format {
    case .textPack, .textBundle, .rtfd:
      var options = ImportOptions()
      options.limits.bytes = 1 << 30
      let tree = try await FileWrapper.importArchive(at: file, options: options)
      return try await make(try (format ?? .textPack).read(tree, named: file.lastPathComponent), named: name)
    case .markdown:
      return try await make(fromMarkdown: file, with: folder, named: name)
    case .html:
      throw HTTPRefusal(
        status: .unsupportedMediaType, message: "The page '\(name)' is in HTML.",
        advice: "Convert it to Markdown, with pandoc for example, and import the result.")
    case nil:
      if file.pathExtension.lowercased() == "txt" {
        guard let text = String(validating: try Data(contentsOf: file), as: UTF8.self) else {
          throw HTTPRefusal(
            status: .unsupportedMediaType, message: "The text '\(name)' is not in UTF-8.",
            advice: "Save it as UTF-8, and import it again.")
        }
        return try await make(ImageNotes(text: text), named: name)
      }
      return try await make(fromArchive: file, named: name)
    }
  }

  /// Makes a document of a text in Markdown, with the pictures of a folder that it names.
  private func make(fromMarkdown file: URL, with folder: URL?, named name: String) async throws
    -> NamedDocument
  {
    let pictures = try folder.flatMap { try FileWrapper(url: $0).children() } ?? [:]
    let read: InterchangeFormat.LooseText
    do {
      read = try InterchangeFormat.readMarkdown(
        FileWrapper(regularFileWithContentsOf: file), named: file.lastPathComponent, with: pictures)
    } catch let error as InterchangeError where error.code == .outside {
      throw HTTPRefusal(
        status: .unprocessable, message: ErrorExplanation(of: error).message,
        advice: "Name the picture without its folder in the text, and choose both files together.")
    }
    var made = try await make((read.document, read.remarks), named: name)
    made.used = read.used
    return made
  }

  /// Makes a document of an archive: of a package, a TextBundle, or a text in Markdown with its pictures.
  private func make(fromArchive archive: URL, named name: String) async throws -> NamedDocument {
    // Beside the upload, so that it goes with it.
    let unpacked = archive.deletingLastPathComponent().appending(path: "Unpacked")
    try await PackageStore.importArchive(at: archive, to: unpacked)
    let tree = try FileWrapper(url: unpacked)
    let names = Set(try tree.childNames())
    if !names.isDisjoint(with: ["Text.txt", "Images", "Images.txt", "Metadata.plist"]) {
      return try await atFreePlace(named: name, in: nil) { url in
        try await PackageStore.importArchive(at: archive, to: url)
      }
    }
    let formats = names.compactMap { InterchangeFormat(filename: $0) }
    let format: InterchangeFormat? =
      if names.contains("info.json") {
        .textBundle
      } else if formats.contains(.markdown) {
        .markdown
      } else { nil }
    guard let format else {
      throw HTTPRefusal(
        status: .unsupportedMediaType, message: "The archive '\(archive.lastPathComponent)' has no document.",
        advice: "Zip a document, a TextBundle, or a text in Markdown with its pictures.")
    }
    return try await make(try format.read(tree, named: archive.lastPathComponent), named: name)
  }

  private func make(
    _ read: (document: InterchangeDocument, remarks: [InterchangeRemark]), named name: String
  ) async throws -> NamedDocument {
    let tree = try read.document.packageTree()
    var made = try await atFreePlace(named: name, in: nil) { url in
      _ = try await PackageStore.create(tree, at: url, contentType: .imageNotes)
    }
    let missing = read.remarks.compactMap { remark in
      if case .missingImage(let place) = remark { place } else { nil }
    }
    made.missing = missing.map(displayString)
    made.remarks =
      read.remarks.filter { remark in
        if case .missingImage = remark { false } else { true }
      }.lines
    return made
  }

  /// Makes a copy of a document beside it.
  func duplicate(_ entry: NotesLibrary.Entry) async throws -> NamedDocument {
    let name = entry.url.deletingPathExtension().lastPathComponent
    return try await atFreePlace(
      named: "\(name) copy", in: entry.url.deletingLastPathComponent()
    ) { url in
      let store = try await PackageStore.open(at: entry.url)
      _ = try await store.copy(to: url)
    }
  }

  /// Calls `make` with a place that no document has.
  func atFreePlace(
    named wish: String?, in folder: URL?, _ make: (URL) async throws -> Void
  ) async throws -> NamedDocument {
    let places = library.places
    let folder = try folder ?? places.folder(places.preferred)
    let wish = try wish.map(Self.checked)
    var number = 1
    while true {
      let filename =
        if let wish {
          (number == 1 ? wish : "\(wish) \(number)") + ".\(Self.pathExtension)"
        } else {
          FilenameConvention.sequence("Note").name(
            amongst: try FileWrapper(url: folder).childNames(), extension: Self.pathExtension)
        }
      let url = folder.appending(path: filename)
      do {
        try await make(url)
        let id = await library.note(places.place(of: url), url)
        let name = filename.dropLast(Self.pathExtension.count + 1)
        return NamedDocument(id: id.word, name: displayString(String(name)), remarks: [])
      } catch {
        guard Self.isTaken(error), number < 10_000 else { throw error }
        number += 1
      }
    }
  }

  /// Whether a document of that name exists already.
  private static func isTaken(_ error: any Error) -> Bool {
    (error as? FilePackageError)?.code == .fileExists
      || (error as? DocumentError)?.fileError?.code == .fileExists
      || (error as? ArchiveError)?.code == .fileExists
  }

  /// A name that is one name of a folder, and is not hidden.
  static func checked(_ name: String) throws -> String {
    let trimmed = name.drop { $0.isWhitespace }
    guard !trimmed.isEmpty, !trimmed.hasPrefix("."), FileName("\(trimmed).\(pathExtension)").problem == nil
    else {
      throw HTTPRefusal(
        status: .unprocessable, message: "'\(displayString(name))' cannot be the name of a document.",
        advice: "Choose a name without slashes that does not begin with a dot.")
    }
    return String(trimmed)
  }
}
