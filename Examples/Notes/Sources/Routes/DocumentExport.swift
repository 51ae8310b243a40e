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
    let (type, ending) = try await write(format, to: file)
    var response = try Response.file(file, type: type)
    let spelled = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "document"
    response.headers[.contentDisposition] =
      "attachment; filename=\"document.\(ending)\"; filename*=UTF-8''\(spelled).\(ending)"
    return response
  }

  /// Writes the file; returns its type, and the extension of its name.
  private func write(_ format: Format, to file: URL) async throws -> (type: String, ending: String) {
    switch format {
    case .zip:
      try await session.withDocument { document in
        _ = try await document.withSnapshot { snapshot in
          try await snapshot.export(to: file, as: .zip)
        }
      }
      return ("application/zip", "zip")
    case .html:
      try Data(try await tree(.html).contents()).write(to: file)
      return ("text/html; charset=utf-8", "html")
    case .markdown:
      let tree = try await tree(.markdown)
      let names = try tree.childNames()
      if names.count == 1, let text = try tree.child(named: names[0]), text.isRegularFile {
        try Data(try text.contents()).write(to: file)
        return ("text/markdown; charset=utf-8", "md")
      }
      var options = ExportOptions()
      options.topFolder = .named(name)
      _ = try await tree.snapshot().export(to: file, as: .zip, options: options)
      return ("application/zip", "zip")
    }
  }

  /// The document as it is open, in another format.
  private func tree(_ format: InterchangeFormat) async throws -> FileWrapper {
    let notes = try await session.withDocument { try await $0.content }
    return try format.write(InterchangeDocument(notes), named: "\(name).imageNotes").file
  }
}
