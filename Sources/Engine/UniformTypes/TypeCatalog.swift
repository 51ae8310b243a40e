/// All known facts about types at one moment, which answer every question.
///
/// For an identifier, an exported declaration counts first. Then come the core table, which stands for the system's
/// exports, an imported declaration, and a name without declaration. For a tag, the program's declared types come
/// first, exported before imported, and then those of the core table.
package struct TypeCatalog: Sendable {
  package private(set) var exported = TypeTable()
  package private(set) var imported = TypeTable()
  /// Types of `UTType(exportedAs:)` and `UTType(importedAs:)` without a declaration: no tags, only parents.
  package private(set) var named: [String: TypeEntry] = [:]

  package init() {}

  // MARK: Declarations

  package mutating func export(_ entry: TypeEntry) { exported.add(entry) }

  /// Adds an import; ignores one that repeats an earlier one.
  package mutating func `import`(_ entry: TypeEntry) { imported.add(entry) }

  /// Remembers a name. Parents add up, so that the order of two calls does not matter.
  package mutating func name(_ identifier: String, parent: String?) {
    let key = identifier.lowercased()
    var entry = named[key] ?? TypeEntry(identifier: identifier, parents: [])
    if let parent, !entry.parents.contains(parent) { entry.parents.append(parent) }
    named[key] = entry
  }

  // MARK: Identifiers

  /// Returns the facts about the type with a key; nil if there is no such type.
  package func entry(_ key: String) -> TypeEntry? {
    exported[key] ?? CoreTypes.table[key] ?? imported[key] ?? named[key]
      ?? DynamicType(identifier: key)?.entry(conforms: conforms)
  }

  /// Returns the type with an identifier; nil if there is none.
  package func type(identifier: String) -> UTType? { entry(identifier.lowercased()).map { UTType($0) } }

  /// The types that have a declaration or are in the core table, by identifier.
  package var known: [TypeEntry] {
    Set(exported.keys + imported.keys + CoreTypes.table.keys).sorted().compactMap(entry)
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
    guard var tag = TypeTag(text, tagClass: tagClass) else { return [] }
    var keys = keys(tag)
    if keys.isEmpty, let withoutParameters = tag.withoutParameters {
      tag = withoutParameters
      keys = self.keys(tag)
    }
    if let supertype { keys = keys.filter { conforms($0, to: supertype.key) } }
    if !keys.isEmpty { return keys.map { UTType(key: $0, in: self) } }
    return dynamicType(tag, conformingTo: supertype).map { [$0] } ?? []
  }

  private func dynamicType(_ tag: TypeTag, conformingTo supertype: UTType?) -> UTType? {
    DynamicType(tag, conformingTo: supertype?.key).map { UTType($0.entry(conforms: conforms)) }
  }

  /// Returns the type of a file-system item from its name and kind alone.
  ///
  /// - Parameter packages: extensions, in lower case, that make a directory a package if no type is known.
  package func type(filename: String, isDirectory: Bool, packages: Set<String> = []) -> UTType {
    let tags = Self.extensions(filename).compactMap { TypeTag($0, tagClass: .filenameExtension) }
    let wanted = isDirectory ? UTType.directory : UTType.data
    for tag in tags {
      if let key = keys(tag).first(where: { conforms($0, to: wanted.key) }) {
        return UTType(key: key, in: self)
      }
      if isDirectory, packages.contains(tag.value) || CoreTypes.packageExtensions.contains(tag.value) {
        return dynamicType(tag, conformingTo: .package) ?? .package
      }
    }
    if isDirectory { return .folder }
    return tags.last.flatMap { dynamicType($0, conformingTo: .data) } ?? .data
  }

  /// Returns the extensions of a name, the longest first: `tar.gz` and `gz`. The first dot of a hidden file begins
  /// none.
  private static func extensions(_ filename: String) -> [String] {
    let name = filename.utf8.split(separator: UInt8(ascii: "/")).last ?? filename[...].utf8
    return name.indices.dropFirst().filter { name[$0] == UInt8(ascii: ".") }
      .map { String(Substring(name[name.index(after: $0)...])) }
  }

  private func keys(_ tag: TypeTag) -> [String] {
    exported.keys(tag) + imported.keys(tag).filter { exported[$0] == nil && CoreTypes.table[$0] == nil }
      + CoreTypes.table.keys(tag).filter { exported[$0] == nil }
  }

  // MARK: Names

  /// Returns the types that a word names.
  ///
  /// If a type has that identifier, it is the only one. Otherwise they are `public.` or `com.apple.` with the
  /// word, and the types that have the word as an extension or MIME type. An extension may have `.` or `*.` before it.
  package func types(named word: String) -> [UTType] {
    if let type = type(identifier: word) { return [type] }
    if word.contains("/") {
      return types(tag: word, tagClass: .mimeType, conformingTo: nil).filter(\.isDeclared)
    }
    let name = String(word.drop { "*.".contains($0) }).lowercased()
    let short = ["public.", "com.apple."].compactMap { type(identifier: $0 + name) }
    let tagged = types(tag: name, tagClass: .filenameExtension, conformingTo: nil).filter(\.isDeclared)
    let known = short + tagged.filter { !short.contains($0) }
    guard known.isEmpty, CoreTypes.packageExtensions.contains(name) else { return known }
    return types(tag: name, tagClass: .filenameExtension, conformingTo: .package)
  }
}
