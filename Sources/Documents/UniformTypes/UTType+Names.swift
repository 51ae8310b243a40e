extension UTType {
  /// Returns the types that a word names, such as `rtfd`, `package`, `image/png` or an identifier; see
  /// `TypeCatalog.types(named:packages:)`.
  package static func types(named word: String, packages: Set<String> = []) -> [UTType] {
    TypeRegistry.shared.catalog.types(named: word, packages: packages)
  }

  /// Returns words for types that are spelled like a word that names none, the nearest first.
  package static func names(like word: String) -> [String] { TypeRegistry.shared.catalog.names(like: word) }

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
