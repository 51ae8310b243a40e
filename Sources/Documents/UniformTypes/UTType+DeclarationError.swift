extension UTType {
  /// The reason for refusing a declaration. The call that throws it has declared nothing.
  public struct DeclarationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the fault.
    public enum Code: String, Hashable, Sendable {
      /// The identifier is empty or has a character other than ASCII letters, digits, `-` and `.`.
      case invalidIdentifier
      /// The identifier begins with a prefix that the declaring program may not use.
      case reservedIdentifier
      /// A tag is no valid tag of its class, such as an extension with its dot.
      case invalidTag
      /// The type would conform to itself through other types.
      case circularConformance
      /// The process has already exported the type, with other contents.
      case conflictingDeclaration
      /// The data is not a property list, or its declarations have the wrong shape.
      case malformedPropertyList
      /// The file could not be read.
      case unreadableFile
    }

    /// The kind of the fault.
    public let code: Code
    /// The identifier of the declaration; empty if the error is about a file.
    public let identifier: String
    /// The prefix, the tag, or the reason of the system or the decoder; empty if there is none.
    public let detail: String
    /// The path of the file, if the error is about one.
    public let path: String?

    init(_ code: Code, identifier: String = "", detail: String = "", path: String? = nil) {
      self.code = code
      self.identifier = identifier
      self.detail = detail
      self.path = path
    }

    /// One sentence that names the fault.
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
