extension UTType {
  /// The names that others use for the type, the preferred one of each class first.
  public var tags: [UTTagClass: [String]] { entry?.tags ?? [:] }

  /// The extension to give a file of the type, without the dot, or nil if the type has none.
  public var preferredFilenameExtension: String? { tags[.filenameExtension]?.first }

  /// The MIME type to send data of the type with, or nil if the type has none.
  public var preferredMIMEType: String? { tags[.mimeType]?.first }

  /// The preferred type of an extension.
  ///
  /// A type cannot be derived from an extension alone: `epub` is a file or a package. The default asks for
  /// files; ask for `.package` to have a package's type.
  ///
  /// - Parameters:
  ///   - filenameExtension: an extension in any case and without its dot, such as `png` or `tar.gz`.
  ///   - supertype: what the type conforms to.
  /// - Returns: the preferred type; if none is known, a dynamic type that conforms to the supertype. Nil if
  ///   the extension is empty, begins or ends with a dot, has two dots in a row, or holds a `/` or a NUL.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
  }

  /// The preferred type of a MIME type.
  ///
  /// Parameters, as in `text/html; charset=utf-8`, matter where a type is known with them and are dropped
  /// elsewhere.
  ///
  /// - Returns: the preferred type; if none is known, a dynamic type that conforms to the supertype, and
  ///   to `.plainText`, `.image`, `.audio`, `.movie` or `.font` if the MIME type says so and the supertype
  ///   allows it. Nil if the text is not two words of token characters around a `/`.
  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
  }

  /// The preferred type of a tag: the first of `types(tag:tagClass:conformingTo:)`.
  public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) {
    guard let type = UTType.types(tag: tag, tagClass: tagClass, conformingTo: supertype).first else {
      return nil
    }
    self = type
  }

  /// The types that have a tag and conform to a type.
  ///
  /// - Parameter supertype: what they conform to; nil for anything.
  /// - Returns: exported types, then imported ones, then core types, then types of the MIME database if there
  ///   are no others with the tag. One dynamic type if none is known; it conforms to the supertype, or to
  ///   `.item` if that is nil. Nothing if the tag is invalid: empty or with a NUL, or as the initialisers for
  ///   extensions and MIME types say.
  public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] {
    TypeRegistry.shared.catalog.types(tag: tag, tagClass: tagClass, conformingTo: supertype)
  }

  /// The type of a file-system item, from its name and from whether it is a directory.
  ///
  /// The longest extension that is known decides, so that `a.tar.gz` is a tar archive and not just gzip
  /// data. A directory is the directory type that has its extension, such as a declared package, or one of the
  /// MIME database that is a kind of `inode/directory`, which is a package, and otherwise `.folder`. A file
  /// is the data type that has its extension; `.data` without one; and a dynamic type if the extension is unknown.
  /// The first dot of a hidden file begins no extension. Nothing on disk is looked at.
  ///
  /// - Parameter filename: a name; of a path, its last component counts.
  public init(filename: String, isDirectory: Bool) {
    self = TypeRegistry.shared.catalog.type(filename: filename, isDirectory: isDirectory)
  }
}
