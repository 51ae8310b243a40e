public import FoundationEssentials

/// The kind of a file, a package or a piece of data; the counterpart of Apple's type of that name.
///
/// A type is its identifier, such as `public.png`, and nothing else. Two values are equal if their identifiers are
/// equal without regard to case. Each property looks up the facts about the type.
///
/// Types come from three places:
///
/// - The program declares them (`declare(exported:)`), because Linux has no Info.plist that the system reads.
/// - A core table holds the declarations of Apple's systems, and more formats.
/// - A tag that is unknown to both makes a dynamic type.
///
/// For an identifier, an exported declaration counts, then the core table, then an imported declaration. For an
/// extension or MIME type, exported declarations are preferred, then imported ones, then the core table.
///
/// Cost: a member such as `UTType.png` looks up nothing. The first lookup reads the core table (about a millisecond).
/// Every other lookup takes a few microseconds.
public struct UTType: Sendable {
  /// The identifier, as its declaration spells it.
  public let identifier: String

  /// The identifier in lower case, by which types are compared and looked up.
  package let key: String

  /// A type of the core table, whose identifiers are all in lower case.
  package init(core identifier: String) {
    self.identifier = identifier
    self.key = identifier
  }

  package init(_ entry: TypeEntry) {
    self.identifier = entry.identifier
    self.key = entry.key
  }

  package init(key: String, in catalog: TypeCatalog) {
    self.identifier = catalog.entry(key)?.identifier ?? key
    self.key = key
  }

  /// Makes the type with an identifier from a file, whether it is known or not; it makes no declaration.
  package init(unchecked identifier: String) {
    self.identifier = identifier
    self.key = identifier.lowercased()
  }

  /// Makes the type with an identifier; nil if the type is unknown.
  ///
  /// Case does not matter. The core types and the types that this process declared, exported or imported, are known. So
  /// is every well-formed `dyn.` identifier.
  public init?(_ identifier: String) {
    guard let type = TypeRegistry.shared.catalog.type(identifier: identifier) else { return nil }
    self = type
  }

  /// Makes a type that this program owns.
  ///
  /// If the type is known, the result is that type, and `parentType` is ignored. Otherwise this call declares it
  /// without tags, and `UTType(_:)` knows it afterwards. The supertypes of several calls add up; one that conforms to
  /// the type itself is ignored. A later `declare` replaces the result of these calls.
  ///
  /// This call does not check the characters of the identifier; `declare(exported:)` does. It declares nothing for an
  /// empty identifier or a `dyn.` one.
  ///
  /// - Parameter parentType: a type that it conforms to. If it is nil, the call adds no supertype, not even `.data`.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self = TypeRegistry.shared.type(naming: identifier, conformingTo: parentType)
  }

  /// Makes a type that another program owns and this program uses.
  ///
  /// It does the same as `init(exportedAs:conformingTo:)`; its name shows that another program owns the type.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self = TypeRegistry.shared.type(naming: identifier, conformingTo: parentType)
  }
}

// MARK: - Facts

extension UTType {
  /// The type's description in plain words, such as "PNG image"; in English or as declared, nil if there is none.
  public var localizedDescription: String? { entry?.description }

  /// The address of the type's description, if its declaration has one.
  public var referenceURL: URL? { entry?.referenceURL }

  /// The version of the declaration, if it has one.
  public var version: Int? { entry?.version }

  /// Whether the identifier has a declaration, or is in the core table or a call of `init(exportedAs:)`. The opposite
  /// of `isDynamic`.
  public var isDeclared: Bool { !isDynamic }

  /// Whether the type stands for an unknown tag. Its identifier begins with `dyn.`
  public var isDynamic: Bool { key.hasPrefix(DynamicType.prefix) }

  /// Whether the type is in the public domain: its identifier begins with `public.`
  public var isPublic: Bool { key.hasPrefix("public.") }

  var entry: TypeEntry? { TypeRegistry.shared.catalog.entry(key) }
}

// MARK: - Conformance

extension UTType {
  /// Every type that this one conforms to, over any number of steps, without itself.
  ///
  /// A supertype that has a name but no declaration is left out until the program declares it.
  public var supertypes: Set<UTType> { TypeRegistry.shared.catalog.supertypes(key) }

  /// Returns whether both are the same type, or this one conforms to the other one over any number of steps.
  public func conforms(to type: UTType) -> Bool {
    key == type.key || TypeRegistry.shared.catalog.conforms(key, to: type.key)
  }

  /// Returns whether the type conforms to another one and is not that type.
  public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }

  /// Returns whether another type conforms to this one and is not this type.
  public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }
}

// MARK: - Equality and coding

extension UTType: Hashable, CustomStringConvertible {
  /// Returns whether the identifiers are the same, without regard to case.
  public static func == (left: UTType, right: UTType) -> Bool { left.key == right.key }

  /// Hashes the identifier in lower case.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// The identifier.
  public var description: String { identifier }
}

extension UTType: Codable {
  /// Reads an identifier, a single string.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if the type is unknown to this process. An empty type would hide the
  ///   missing declaration, and the text of a file must not become a declaration. Declare the program's types before
  ///   decoding; dynamic types can always be decoded.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let identifier = try container.decode(String.self)
    guard let type = UTType(identifier) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the type '\(identifier)' is not declared in this process")
    }
    self = type
  }

  /// Writes the identifier as a single string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }
}
