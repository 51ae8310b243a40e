public import FilePackages

/// A format of other programs for a text with images.
public enum InterchangeFormat: String, Sendable, CaseIterable, Codable {
  /// A TextBundle, version 1 or 2: a folder with `info.json`, `text.*` and `assets`.
  case textBundle = "textbundle"
  /// A TextBundle in a zip. Its tree is that of the TextBundle; `PackageArchive` packs and unpacks the zip.
  case textPack = "textpack"
  /// A folder with a text in Markdown and its images.
  case markdown
  /// A page of HTML that contains its images. It can only be written.
  case html
  /// A package of rich text with attachments, as TextEdit on a Mac makes it. It can only be read.
  case rtfd

  /// Finds the format that a filename's extension stands for; nil for other extensions. `bearnote` is a TextPack.
  public init?(filename: String) {
    switch FreeName.split(filename).pathExtension.lowercased() {
    case "textbundle": self = .textBundle
    case "textpack", "bearnote": self = .textPack
    case "md", "markdown", "mdown", "mkd": self = .markdown
    case "html", "htm": self = .html
    case "rtfd": self = .rtfd
    default: return nil
    }
  }

  /// The format's name for people.
  public var name: String {
    switch self {
    case .textBundle: "TextBundle"
    case .textPack: "TextPack"
    case .markdown: "Markdown"
    case .html: "HTML"
    case .rtfd: "RTFD"
    }
  }

  /// Whether documents can be read from this format.
  public var isReadable: Bool { self != .html }

  /// Whether documents can be written in this format.
  public var isWritable: Bool { self != .rtfd }

  /// Whether the tree of a written document is a directory; otherwise it is one regular file.
  public var isDirectory: Bool { self != .html }

  /// The formats in which documents can be written.
  public static let writable = allCases.filter(\.isWritable)
}

extension InterchangeFormat {
  /// Reads a document of this format, and says how it differs from the original.
  ///
  /// The images and attachments stay in the tree, and are read when the new document is written. Cost: the text, and
  /// the headers of all images.
  ///
  /// - Parameters:
  ///   - file: the folder, or the one file. For Markdown it is the folder around the text.
  ///   - name: the document's name or path, for errors.
  ///   - textName: the path of the text in a folder of Markdown. The document then gets only the files that this text
  ///     names. If it is nil, the folder must have one text. The document then gets all images of the folder.
  /// - Throws: `InterchangeError`, for example for a part that is missing or damaged. `FilePackageError` if the system
  ///   cannot read a file.
  public func read(
    _ file: FileWrapper, named name: String, textName: String? = nil
  ) throws -> (document: InterchangeDocument, remarks: [InterchangeRemark]) {
    try during(.import, name) {
      switch self {
      case .textBundle, .textPack: try TextBundleReader(file).read()
      case .markdown: try MarkdownReader(file, textName).read()
      case .html: throw InterchangeProblem(.unsupported, "this format can only be written")
      case .rtfd: try RTFDReader(file).read()
      }
    }
  }

  /// Returns the document in this format, and says what the format does not hold.
  ///
  /// - Parameters:
  ///   - document: the document.
  ///   - name: the document's name or path, for errors and for the name of the text file.
  /// - Returns: a directory, or for `html` a regular file. For `textPack`, it is the folder to pack into the zip.
  /// - Throws: `InterchangeError` if the format can only be read. `FilePackageError` if the system cannot read a file.
  public func write(
    _ document: InterchangeDocument, named name: String
  ) throws -> (file: FileWrapper, remarks: [InterchangeRemark]) {
    try during(.export, name) {
      switch self {
      case .textBundle, .textPack: try TextBundleWriter(document).write()
      case .markdown: try MarkdownWriter(document, named: name).write()
      case .html: try HTMLWriter.write(document)
      case .rtfd: throw InterchangeProblem(.unsupported, "this format can only be read")
      }
    }
  }

  /// Adds the format, the document and the operation to a problem that `body` throws.
  func during<Result>(
    _ operation: InterchangeError.Operation, _ name: String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let problem as InterchangeProblem {
      throw InterchangeError(
        code: problem.code, operation: operation, format: self, document: name, file: problem.file,
        line: problem.line, reason: problem.reason)
    }
  }
}
