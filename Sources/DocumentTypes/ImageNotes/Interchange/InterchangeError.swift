import FilePackages
public import FoundationEssentials

/// The facts about a document that could not be read from another program's format, or not be written in it.
public struct InterchangeError: Error, Sendable, Hashable {
  /// The kind of failure, for decisions of programs.
  public enum Code: String, Sendable, CaseIterable {
    /// The file is not of the format.
    case notOfFormat
    /// A part that the format requires is missing.
    case missingPart
    /// A part cannot be read: it is not of its own format, or larger than the limit.
    case damaged
    /// The format can only be read, or only be written.
    case unsupported
  }

  /// The work that failed.
  public enum Operation: String, Sendable {
    /// Reading another program's format.
    case `import`
    /// Writing another program's format.
    case export
  }

  /// The kind of failure.
  public var code: Code
  /// The work that failed.
  public var operation: Operation
  /// The format that was read or written.
  public var format: InterchangeFormat
  /// The document's name or path.
  public var document: String
  /// The file in the document that the error is about.
  public var file: String?
  /// The line in that file, counted from 1.
  public var line: Int?
  /// The reason, in words.
  public var reason: String
}

extension InterchangeError: CustomStringConvertible, LocalizedError {
  /// One sentence that names the document, the file and the reason.
  public var description: String {
    let past = operation == .import ? "imported as" : "exported as"
    var place = ""
    if let file {
      place = " ('\(displayString(file))'" + (line.map { ", line \($0)" } ?? "") + ")"
    }
    return "'\(displayString(document))' could not be \(past) \(format.name): \(reason)\(place)."
  }

  /// `description`, for Foundation.
  public var errorDescription: String? { description }
}

/// The facts that the place of an error knows; the format's reader or writer adds the rest.
struct InterchangeProblem: Error {
  var code: InterchangeError.Code
  var file: String?
  var line: Int?
  var reason: String

  init(_ code: InterchangeError.Code, file: String? = nil, line: Int? = nil, _ reason: String) {
    (self.code, self.file, self.line, self.reason) = (code, file, line, reason)
  }
}

extension [String] {
  /// The first names, in quotation marks.
  var firstNames: String {
    prefix(4).map { "'\(displayString($0))'" }.joined(separator: ", ") + (count > 4 ? " …" : "")
  }
}
