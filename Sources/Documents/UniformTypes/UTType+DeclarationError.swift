extension UTType {
  /// Why a declaration was refused. Nothing has been declared by the call that throws it.
  public struct DeclarationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was wrong.
    public enum Code: String, Hashable, Sendable {
      /// The identifier is empty or has a character other than ASCII letters, digits, `-` and `.`.
      case invalidIdentifier
      /// The identifier begins with a prefix that is not for the declaring program.
      case reservedIdentifier
      /// A tag is no valid tag of its class, such as an extension with its dot.
      case invalidTag
      /// The type would conform to itself by way of others.
      case circularConformance
      /// The process has exported the type already, with other contents.
      case conflictingDeclaration
      /// The property list is none, or its declarations do not have the shape that they must have.
      case malformedPropertyList
      /// The file could not be read.
      case unreadableFile
    }

    /// What was wrong.
    public let code: Code
    /// The identifier of the declaration; empty where the error is about a file.
    public let identifier: String
    /// The prefix, the tag, or the system's or the decoder's reason; empty where there is none.
    public let detail: String
    /// The path of the file, where the error is about one.
    public let path: String?

    init(_ code: Code, identifier: String = "", detail: String = "", path: String? = nil) {
      self.code = code
      self.identifier = identifier
      self.detail = detail
      self.path = path
    }

    /// One sentence that says what was wrong.
    public var description: String {
      switch code {
      case .invalidIdentifier:
        "The type identifier '\(identifier)' is invalid: only ASCII letters, digits, '-' and '.' are allowed."
      case .reservedIdentifier:
        "The type '\(identifier)' cannot be declared: identifiers that begin with '\(detail)' are reserved."
      case .invalidTag:
        "The type '\(identifier)' cannot be declared: '\(detail)' is not a valid tag."
      case .circularConformance:
        "The type '\(identifier)' cannot be declared: it would conform to itself."
      case .conflictingDeclaration:
        "The type '\(identifier)' cannot be declared: it is exported already, with other contents."
      case .malformedPropertyList:
        "The type declarations\(place) cannot be understood: \(detail)."
      case .unreadableFile:
        "The type declarations\(place) cannot be read: \(detail)."
      }
    }

    private var place: String { path.map { " of '\($0)'" } ?? "" }
  }
}
