import Documents
import FilePackages
import Foundation
import HTTPTypes
import Hummingbird
import ImageNotes
import PackageArchive

/// Makes the file of a document that a user downloads.
struct DocumentExport {
  enum Format: String {
    /// The package as it is.
    case zip
    /// A text, or a zip of the text and its images.
    case markdown
    /// One page with its images in it.
    case html
  }

  let session: NotesSession
  let name: String
  let uploads: UploadFolder

  func response(_ format: Format) async throws -> Response {
    let folder = uploads.url.appending(path: String(ServerKey.random().prefix(12)))
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let file = folder.appending(path: "export")
    // The open file stays readable after its folder is gone.
    defer { uploads.remove(file) }
    let (type, ending, leftOut) = try await write(format, to: file)
    var response = try Response.file(file, type: type)
    if !leftOut.isEmpty, let field = HTTPField.Name("Left-Out") {
      response.headers[field] = Self.spelled(leftOut)
    }
    response.headers[.contentDisposition] =
      "attachment; filename=\"document.\(ending)\"; filename*=UTF-8''\(Self.spelled(name)).\(ending)"
    return response
  }

  /// Spells a text with the characters that a header may have.
  private static func spelled(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "document"
  }

  /// Writes the file; returns its type, the extension of its name, and what the file does not have.
  private func write(
    _ format: Format, to file: URL
  ) async throws -> (type: String, ending: String, leftOut: String) {
    switch format {
    case .zip:
      try await session.withDocument { document in
        _ = try await document.withSnapshot { snapshot in
          try await snapshot.export(to: file, as: .zip)
        }
      }
      return ("application/zip", "zip", "")
    case .html:
      let (page, leftOut) = try await tree(.html)
      try Data(try page.contents()).write(to: file)
      return ("text/html; charset=utf-8", "html", leftOut)
    case .markdown:
      let (tree, leftOut) = try await tree(.markdown)
      let names = try tree.childNames()
      if names.count == 1, let text = try tree.child(named: names[0]), text.isRegularFile {
        try Data(try text.contents()).write(to: file)
        return ("text/markdown; charset=utf-8", "md", leftOut)
      }
      var options = ExportOptions()
      options.topFolder = .named(name)
      _ = try await tree.snapshot().export(to: file, as: .zip, options: options)
      return ("application/zip", "zip", leftOut)
    }
  }

  /// The document as it is open, in another format, and a clause for each child that the format cannot hold.
  ///
  /// The children that are no part of the notes are those on the disk: the app changes none of them.
  private func tree(_ format: InterchangeFormat) async throws -> (file: FileWrapper, leftOut: String) {
    let document = try await session.withDocument { document in
      var whole = try InterchangeDocument(package: FileWrapper(url: await document.fileURL))
      whole.notes = try await document.content
      return whole
    }
    let (file, remarks) = try format.write(document, named: "\(name).imageNotes")
    let leftOut = remarks.filter { $0.leftOutPath != nil }.lines
    let more = leftOut.count > 5 ? ["\(leftOut.count - 5) more"] : []
    return (file, (leftOut.prefix(5) + more).joined(separator: "; "))
  }
}
