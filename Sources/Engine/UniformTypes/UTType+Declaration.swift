public import FoundationEssentials

extension UTType {
  /// A program's facts about a type: the counterpart of one dictionary of an Info.plist.
  public struct Declaration: Hashable, Sendable {
    /// The identifier: ASCII letters, digits, `-` and `.`.
    public var identifier: String
    /// The types that it conforms to directly; they may be declared later.
    public var conformsTo: [UTType]
    /// The type's names outside this system, the preferred one of each class first.
    public var tags: [UTTagClass: [String]]
    /// The description in plain words.
    public var description: String?
    /// The address of a description.
    public var referenceURL: URL?
    /// The version of the declaration.
    public var version: Int?

    /// Makes a declaration. A package is declared by conformance to `.package`.
    ///
    /// - Parameters:
    ///   - filenameExtensions: extensions without a dot, the preferred one first.
    ///   - mimeTypes: MIME types, the preferred one first.
    public init(
      identifier: String, conformsTo: [UTType], filenameExtensions: [String] = [], mimeTypes: [String] = [],
      description: String? = nil, referenceURL: URL? = nil, version: Int? = nil
    ) {
      self.identifier = identifier
      self.conformsTo = conformsTo
      self.tags = [:]
      self.description = description
      self.referenceURL = referenceURL
      self.version = version
      if !filenameExtensions.isEmpty { tags[.filenameExtension] = filenameExtensions }
      if !mimeTypes.isEmpty { tags[.mimeType] = mimeTypes }
    }
  }

  /// Makes a type that this program owns, and declares it with its extension, for the whole process.
  ///
  /// ```swift
  /// static let type = UTType(exportedAs: "org.example.sketch", conformingTo: .package, filenameExtension: "sketch")
  /// ```
  ///
  /// The arguments are constants of a program. An invalid identifier or extension stops the program with the text of the
  /// `DeclarationError`, and so does another declaration of the same type. `declare(exported:)` throws it instead.
  ///
  /// - Parameters:
  ///   - filenameExtension: the extension without a dot; a search finds documents of the type by it.
  ///   - description: the type in plain words.
  public init(
    exportedAs identifier: String, conformingTo parentType: UTType, filenameExtension: String,
    description: String? = nil
  ) {
    let declaration = Declaration(
      identifier: identifier, conformsTo: [parentType], filenameExtensions: [filenameExtension],
      description: description)
    do {
      self = try UTType.declare(exported: declaration)
    } catch {
      preconditionFailure(error.description)
    }
  }

  /// Declares a type that this program owns, for the whole process and until it ends.
  ///
  /// The same declaration may be made again.
  ///
  /// - Returns: the type.
  /// - Throws: `invalidIdentifier`, `reservedIdentifier`, `invalidTag`, `circularConformance`, or
  ///   `conflictingDeclaration` if the type has been exported with other contents.
  @discardableResult
  public static func declare(exported declaration: Declaration) throws(DeclarationError) -> UTType {
    _ = try TypeRegistry.shared.declare(exported: [declaration])  // The type is known without an answer.
    return UTType(TypeEntry(declaration))
  }

  /// Declares a type that another program owns and this program uses.
  ///
  /// It has no effect if the type is exported, is in the core table, or was imported before. The earlier declaration
  /// then stays, and the call does not throw.
  ///
  /// - Returns: the type.
  /// - Throws: `invalidIdentifier`, `reservedIdentifier`, `invalidTag` or `circularConformance`.
  @discardableResult
  public static func declare(imported declaration: Declaration) throws(DeclarationError) -> UTType {
    try TypeRegistry.shared.declare(imported: [declaration]).first ?? UTType(TypeEntry(declaration))
  }
}

extension UTType.Declaration {
  /// Checks the declaration by itself, and throws if it could never be made.
  func validate(isExported: Bool) throws(UTType.DeclarationError) {
    guard !identifier.isEmpty, identifier.utf8.allSatisfy(Self.isAllowed) else {
      throw UTType.DeclarationError(.invalidIdentifier, identifier: identifier)
    }
    let reserved = [DynamicType.prefix] + (isExported ? ["public.", "com.apple."] : [])
    let key = identifier.lowercased()
    if let prefix = reserved.first(where: key.hasPrefix) {
      throw UTType.DeclarationError(.reservedIdentifier, identifier: identifier, detail: prefix)
    }
    for (tagClass, tags) in tags {
      for tag in tags where TypeTag(tag, tagClass: tagClass) == nil {
        throw UTType.DeclarationError(.invalidTag, identifier: identifier, detail: tag)
      }
    }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }
}

extension UTType {
  /// The reason for refusing a declaration. The call that throws it has declared nothing.
  public struct DeclarationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the fault.
    public enum Code: String, Hashable, Sendable {
      /// The identifier is empty or has a character other than ASCII letters, digits, `-` and `.`.
      case invalidIdentifier
      /// The identifier begins with a prefix that the declaring program may not use.
      case reservedIdentifier
      /// A tag is not valid in its class, such as an extension with its dot.
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

    package init(_ code: Code, identifier: String = "", detail: String = "", path: String? = nil) {
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
