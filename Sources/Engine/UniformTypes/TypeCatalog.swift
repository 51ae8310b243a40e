/// All known facts about types at one moment, which answer every question.
///
/// For an identifier, an exported declaration counts first. Then come the core table, which stands for the system's
/// exports, an imported declaration, and a name without declaration. For a tag, the program's declared types come
/// first, exported before imported, and then those of the core table. Only if there are none, the catalog asks the
/// freedesktop database.
package struct TypeCatalog: Sendable {
  private let declared: DeclaredTypes
  private let database: FreedesktopDatabase

  package init(declared: DeclaredTypes, database: FreedesktopDatabase) {
    self.declared = declared
    self.database = database
  }

  // MARK: Identifiers

  /// Returns the facts about the type with a key; nil if there is no such type.
  package func entry(_ key: String) -> TypeEntry? {
    if let entry = declared.exported[key] ?? CoreTypes.table[key] ?? declared.imported[key] { return entry }
    if let entry = declared.named(key) { return entry }
    if let dynamic = DynamicType(identifier: key) { return dynamic.entry(conforms: conforms) }
    if let mimeType = MIMETypes.mimeType(identifier: key) { return freedesktopEntry(mimeType) }
    return nil
  }

  /// Returns the type with an identifier; nil if there is none.
  ///
  /// The identifier of a freedesktop type gives the declared or core type of the same MIME type, if there is one.
  package func type(identifier: String) -> UTType? {
    guard let entry = entry(identifier.lowercased()) else { return nil }
    if let mimeType = MIMETypes.mimeType(identifier: entry.key), let key = key(mimeType: mimeType) {
      return UTType(key: key, in: self)
    }
    return UTType(entry)
  }

  /// The types that have a declaration or are in the core table, by identifier.
  package var known: [TypeEntry] {
    let identifiers =
      declared.exported.identifiers + declared.imported.identifiers + CoreTypes.table.identifiers
    return Set(identifiers.map { $0.lowercased() }).sorted().compactMap(entry)
  }

  // MARK: Conformance

  /// Returns whether a type is another type or conforms to it, over any number of steps.
  package func conforms(_ key: String, to ancestor: String) -> Bool {
    if key == ancestor { return true }
    var seen: Set<String> = [key]
    var open = [key]
    while let next = open.popLast() {
      for parent in entry(next)?.parents ?? [] where seen.insert(parent).inserted {
        if parent == ancestor { return true }
        open.append(parent)
      }
    }
    return false
  }

  /// Returns whether a type conforms to itself through other types.
  package func isCircular(_ key: String) -> Bool {
    entry(key)?.parents.contains { conforms($0, to: key) } ?? false
  }

  /// Returns every known type that a type conforms to, without itself.
  package func supertypes(_ key: String) -> Set<UTType> {
    var seen: Set<String> = [key]
    var open = entry(key)?.parents ?? []
    var found: Set<UTType> = []
    while let next = open.popLast() {
      guard seen.insert(next).inserted, let entry = entry(next) else { continue }
      found.insert(UTType(entry))
      open += entry.parents
    }
    return found
  }

  // MARK: Tags

  /// Returns the types that have a tag and conform to a type, the preferred one first.
  ///
  /// If there are none, it returns the one dynamic type for the tag. For an invalid tag it returns none.
  package func types(tag text: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] {
    guard let tag = TypeTag(text, tagClass: tagClass) else { return [] }
    var keys = keys(tag)
    var plain = tag
    if keys.isEmpty, let withoutParameters = tag.withoutParameters {
      plain = withoutParameters
      keys = self.keys(plain)
    }
    if let supertype { keys = keys.filter { conforms($0, to: supertype.key) } }
    if keys.isEmpty {
      keys = databaseKeys(plain, spelling: text)
      if let supertype { keys = keys.filter { conforms($0, to: supertype.key) } }
    }
    if !keys.isEmpty { return keys.map { UTType(key: $0, in: self) } }
    guard let dynamic = DynamicType(plain, conformingTo: supertype?.key) else { return [] }
    return [UTType(dynamic.entry(conforms: conforms))]
  }

  /// Returns the type of a file-system item from its name and kind alone.
  ///
  /// - Parameter packages: extensions, in lower case, that make a directory a package if no type is known.
  package func type(filename: String, isDirectory: Bool, packages: Set<String> = []) -> UTType {
    let extensions = Self.extensions(filename)
    let wanted = isDirectory ? UTType.directory : UTType.data
    for name in extensions {
      guard let tag = TypeTag(name, tagClass: .filenameExtension) else { continue }
      if let key = keys(tag).first(where: { conforms($0, to: wanted.key) }) {
        return UTType(key: key, in: self)
      }
      guard isDirectory, packages.contains(tag.value) || CoreTypes.packageExtensions.contains(tag.value)
      else { continue }
      return types(tag: tag.value, tagClass: .filenameExtension, conformingTo: .package).first ?? .package
    }
    let unknown = extensions.filter { name in
      TypeTag(name, tagClass: .filenameExtension).map { !isDirectory || keys($0).isEmpty } ?? false
    }
    for mimeType in unknown.isEmpty ? [] : database.mimeTypes(extensions: unknown) {
      let key = key(databaseMIMEType: mimeType)
      if conforms(key, to: wanted.key) { return UTType(key: key, in: self) }
    }
    if isDirectory { return .folder }
    return types(tag: extensions.last ?? "", tagClass: .filenameExtension, conformingTo: .data).first ?? .data
  }

  /// Returns the extensions of a name, the longest first: `tar.gz` and `gz`. The first dot of a hidden file begins
  /// none.
  private static func extensions(_ filename: String) -> [String] {
    let name = filename.utf8.split(separator: UInt8(ascii: "/")).last ?? filename[...].utf8
    return name.indices.dropFirst().filter { name[$0] == UInt8(ascii: ".") }
      .map { String(Substring(name[name.index(after: $0)...])) }
  }

  private func keys(_ tag: TypeTag) -> [String] {
    let exported = declared.exported.keys(tag)
    let imported = declared.imported.keys(tag).filter {
      declared.exported[$0] == nil && CoreTypes.table[$0] == nil
    }
    let core = CoreTypes.table.keys(tag).filter { declared.exported[$0] == nil }
    return exported + imported + core
  }
}

// MARK: - The freedesktop database

extension TypeCatalog {
  private func databaseKeys(_ tag: TypeTag, spelling: String) -> [String] {
    switch tag.tagClass {
    case .filenameExtension:
      database.mimeTypes(extensions: [spelling]).map(key(databaseMIMEType:))
    case .mimeType:
      database.types.realName(tag.value).map { [key(databaseMIMEType: $0)] } ?? []
    default:
      []
    }
  }

  /// Returns the key of the declared or core type that has a MIME type, or nil.
  private func key(mimeType: String) -> String? {
    TypeTag(mimeType, tagClass: .mimeType).flatMap { keys($0).first }
  }

  private func key(databaseMIMEType mimeType: String) -> String {
    key(mimeType: mimeType) ?? MIMETypes.identifier(mimeType)
  }

  private func freedesktopEntry(_ mimeType: String) -> TypeEntry {
    let types = database.types
    let isPackage = types.isPackage(mimeType)
    var parents = types.parents(mimeType).map { name in
      isPackage && name == FreedesktopTypes.directory ? UTType.package.key : key(databaseMIMEType: name)
    }
    let implicit = MIMETypes.implicitParent(mimeType)
    if !isPackage && !parents.contains(implicit) { parents.append(implicit) }
    var entry = TypeEntry(identifier: MIMETypes.identifier(mimeType), parents: parents)
    let extensions = types.fileExtensions(mimeType)
    if !extensions.isEmpty { entry.tags[.filenameExtension] = extensions }
    entry.tags[.mimeType] = [mimeType] + types.aliases(mimeType)
    return entry
  }
}
