extension UTType {
  /// The type's names outside this system, the preferred one of each class first.
  public var tags: [UTTagClass: [String]] { entry?.tags ?? [:] }

  /// The extension for files of the type, without the dot; nil if the type has none.
  public var preferredFilenameExtension: String? { tags[.filenameExtension]?.first }

  /// The MIME type for sending data of the type; nil if the type has none.
  public var preferredMIMEType: String? { tags[.mimeType]?.first }

  /// Makes the preferred type of an extension.
  ///
  /// An extension alone does not give a type: `epub` is a file or a package. By default the result is a type of files;
  /// pass `.package` for a package's type.
  ///
  /// - Parameters:
  ///   - filenameExtension: an extension in any case and without its dot, such as `png` or `tar.gz`.
  ///   - supertype: a type that the result conforms to.
  /// - Returns: the preferred type; if none is known, a dynamic type that conforms to the supertype. Nil if the
  ///   extension is empty, begins or ends with a dot, has two dots in a row, or holds a `/` or a NUL.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
  }

  /// Makes the preferred type of a MIME type.
  ///
  /// Parameters, as in `text/html; charset=utf-8`, count if a type is known with them. Otherwise they are dropped.
  ///
  /// - Returns: the preferred type; if none is known, a dynamic type that conforms to the supertype. If the MIME type
  ///   says so and the supertype allows it, it also conforms to `.plainText`, `.image`, `.audio`, `.movie` or `.font`.
  ///   Nil if the text is not two words of token characters around a `/`.
  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
  }

  /// Makes the preferred type of a tag: the first of `types(tag:tagClass:conformingTo:)`.
  public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) {
    guard let type = UTType.types(tag: tag, tagClass: tagClass, conformingTo: supertype).first else {
      return nil
    }
    self = type
  }

  /// Returns the types that have a tag and conform to a type.
  ///
  /// - Parameter supertype: a type that they conform to; nil for any.
  /// - Returns: exported types, then imported ones, then core types. If no type is known, one dynamic type, which
  ///   conforms to the supertype, or to `.item` if that is nil. No types if the tag is invalid. It is invalid if it is
  ///   empty, has a NUL, or if the initialiser for its class returns nil.
  public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] {
    TypeRegistry.shared.catalog.types(tag: tag, tagClass: tagClass, conformingTo: supertype)
  }

  /// Makes the type of a file-system item from its name and its kind; reads nothing on disk.
  ///
  /// The longest known extension decides, so that `a.tar.gz` is a tar archive and not just gzip data. A directory gets
  /// the directory type of its extension, such as a declared package. Without such a type, a directory is a `.folder`.
  /// A file gets the data type of its extension, `.data` without an extension, and a dynamic type for an unknown one.
  /// The first dot of a hidden file does not begin an extension.
  ///
  /// - Parameter filename: a name, or a path, whose last component counts.
  public init(filename: String, isDirectory: Bool) {
    self = TypeRegistry.shared.catalog.type(filename: filename, isDirectory: isDirectory)
  }
}

extension UTType {
  /// Returns the types that a word names, such as `rtfd`, `package`, `image/png` or an identifier; see
  /// `TypeCatalog.types(named:)`.
  package static func types(named word: String) -> [UTType] {
    TypeRegistry.shared.catalog.types(named: word)
  }

  /// The types that this process has declared, and those of the core table, by identifier.
  package static var known: [UTType] { TypeRegistry.shared.catalog.known.map { UTType($0) } }

  /// Makes the type of a file-system item from its name.
  ///
  /// - Parameter packages: extensions, in lower case, that make a directory a package if no type is known.
  package init(filename: String, isDirectory: Bool, packages: Set<String>) {
    self = TypeRegistry.shared.catalog.type(filename: filename, isDirectory: isDirectory, packages: packages)
  }

  /// Whether a directory of the type is one document, a package or a bundle.
  package var isPackageOrBundle: Bool { conforms(to: .package) || conforms(to: .bundle) }
}
