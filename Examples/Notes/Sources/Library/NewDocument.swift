import Documents
import FilePackages
import Foundation
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
    let name = file.deletingPathExtension().lastPathComponent
    // A file without a header of a picture is of another kind.
    if (try? ImageHeader(of: FileWrapper(regularFileWithContentsOf: file))) != nil {
      var notes = ImageNotes()
      try notes.add(imageAt: file)
      return try await make(notes, named: name)
    }
    switch InterchangeFormat(filename: file.lastPathComponent) {
    case .textPack?:
      var options = ImportOptions()
      options.limits.bytes = 1 << 30
      let tree = try await FileWrapper.importArchive(at: file, options: options)
      return try await make(InterchangeFormat.textPack.read(tree, named: file.lastPathComponent), named: name)
    case .markdown?:
      return try await make(fromMarkdown: file, with: folder, named: name)
    case .html?:
      throw HTTPRefusal(
        status: .unsupportedMediaType, message: "The page '\(displayString(name))' is in HTML.",
        advice: "Convert it to Markdown, with pandoc for example, and import the result.")
    default: break
    }
    if file.pathExtension.lowercased() == "txt" {
      guard let text = String(validating: try Data(contentsOf: file), as: UTF8.self) else {
        throw HTTPRefusal(
          status: .unsupportedMediaType, message: "The text '\(displayString(name))' is not in UTF-8.",
          advice: "Save it as UTF-8, and import it again.")
      }
      return try await make(ImageNotes(text: text), named: name)
    }
    return try await make(fromArchive: file, named: name)
  }

  /// Makes a document of a text in Markdown, with the pictures that a page sent with it.
  ///
  /// A browser does not tell their folders. So a picture gets the one path in the text that ends in its name.
  private func make(fromMarkdown file: URL, with folder: URL?, named name: String) async throws
    -> NamedDocument
  {
    let pictures = try folder.flatMap { try FileWrapper(url: $0).children() } ?? [:]
    let text = try FileWrapper(regularFileWithContentsOf: file)
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    try tree.setDescendant(text, at: file.lastPathComponent)
    let paths = Set(
      String(decoding: try text.contents(), as: UTF8.self).matches(of: Self.picture).compactMap { match in
        String(match.1 ?? match.2 ?? "").removingPercentEncoding
      })
    var used: [String] = []
    for (picture, contents) in pictures {
      let ends = paths.filter { $0.split(separator: "/").last?.lowercased() == picture.lowercased() }
      guard ends.count == 1, let path = ends.first, path != file.lastPathComponent else { continue }
      do {
        try tree.setDescendant(contents, at: path.hasPrefix("./") ? String(path.dropFirst(2)) : path)
        used.append(picture)
      } catch let error as FilePackageError where error.code == .invalidName || error.code == .wrongKind {
        // No package has a file at that path, so the text keeps its words.
      }
    }
    let read = try InterchangeFormat.markdown.read(
      tree, named: file.lastPathComponent, textName: file.lastPathComponent)
    var made = try await make(read, named: name)
    made.used = used.sorted()
    return made
  }

  /// A picture in Markdown; its path is in angle brackets, or ends at a space.
  private static var picture: Regex<(Substring, Substring?, Substring?)> {
    /!\[[^\]\n]*\]\(\s*(?:<([^>\n]+)>|([^)\s]+))/
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
    let format: InterchangeFormat? =
      if names.contains("info.json") {
        .textBundle
      } else if names.contains(where: { InterchangeFormat(filename: $0) == .markdown }) {
        .markdown
      } else { nil }
    guard let format else {
      throw HTTPRefusal(
        status: .unsupportedMediaType,
        message: "The archive '\(displayString(archive.lastPathComponent))' has no document.",
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
    guard !trimmed.isEmpty, !trimmed.hasPrefix("."), isName("\(trimmed).\(pathExtension)")
    else {
      throw HTTPRefusal(
        status: .unprocessableContent, message: "'\(displayString(name))' cannot be the name of a document.",
        advice: "Choose a name without slashes that does not begin with a dot.")
    }
    return String(trimmed)
  }

  /// Whether a text is one name of a folder.
  static func isName(_ text: String) -> Bool {
    !["", ".", ".."].contains(text) && text.utf8.count <= 255 && !text.contains { $0 == "/" || $0 == "\0" }
  }
}
