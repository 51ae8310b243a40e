public import FoundationEssentials

/// What kind of thing a file, a package or a piece of data is; the counterpart of Apple's type of that name.
///
/// A type is its identifier, such as `public.png`, and nothing else: two values are equal if their
/// identifiers are, whatever the case of their letters. What is known of the type is looked up when it is
/// asked for.
///
/// Types are known from four places. The program declares them (`declare(exported:)`), because Linux has no
/// Info.plist that the system reads. A core table holds what Apple's systems declare, and more formats. The
/// shared MIME database of freedesktop.org, where it is installed, is asked for extensions and MIME types
/// that nobody else knows; its types have identifiers such as
/// `org.freedesktop.mime.application.x-doom-wad`. And a tag that is unknown everywhere makes a dynamic
/// type.
///
/// Of one identifier, an exported declaration counts, then the core table, then an imported declaration. Of
/// one extension or MIME type, exported declarations are preferred, then imported ones, then the core table.
///
/// Cost: to name a type is free. The first question reads the core table (about a millisecond), and the
/// first one that the core table cannot answer reads the MIME database (a few milliseconds). Every other
/// question takes a few microseconds, and some twenty where the answer is a type of the MIME database.
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

  /// The type with an identifier, or nil if the type is unknown.
  ///
  /// Case does not matter. Known are the core types, the types that this process declared, exported or
  /// imported, every well-formed `dyn.` identifier, and every well-formed `org.freedesktop.mime.` identifier
  /// whether or not the database lists it, so that what one machine wrote down another one can read.
  public init?(_ identifier: String) {
    guard let type = TypeRegistry.shared.catalog.type(identifier: identifier) else { return nil }
    self = type
  }

  /// A type that this program owns.
  ///
  /// If the type is known, this is it, and the supertype is ignored. If not, this call is its declaration,
  /// as far as it goes: without tags, but with the supertype, and from now on `UTType(_:)` knows it.
  /// Supertypes of several calls add up; one that conforms to the type itself is ignored. A later `declare`
  /// replaces all that. The characters of the identifier are not checked here; `declare(exported:)` checks
  /// them.
  /// Nothing is remembered of an empty identifier or of a malformed `dyn.` one.
  ///
  /// - Parameter parentType: what it conforms to. Nil says nothing, not even that it is data.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self = TypeRegistry.shared.type(naming: identifier, conformingTo: parentType)
  }

  /// A type that somebody else owns and that this program uses.
  ///
  /// It does what `init(exportedAs:conformingTo:)` does; which of the two is written tells the reader whose
  /// type it is.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self = TypeRegistry.shared.type(naming: identifier, conformingTo: parentType)
  }
}

// MARK: - What is known of a type

extension UTType {
  /// What the type is in plain words, such as "PNG image"; in English or as declared, nil if nobody says.
  public var localizedDescription: String? { entry?.description }

  /// Where the type is described, if its declaration says so.
  public var referenceURL: URL? { entry?.referenceURL }

  /// The version of the declaration, if it has one.
  public var version: Int? { entry?.version }

  /// Whether somebody stands behind the identifier: a declaration, the core table, the MIME database or a
  /// call of `init(exportedAs:)`. The opposite of `isDynamic`.
  public var isDeclared: Bool { !isDynamic }

  /// Whether the type was made up for an unknown tag. Its identifier begins with `dyn.`
  public var isDynamic: Bool { key.hasPrefix(DynamicType.prefix) }

  /// Whether the type is in the public domain: its identifier begins with `public.`
  public var isPublic: Bool { key.hasPrefix("public.") }

  var entry: TypeEntry? { TypeRegistry.shared.catalog.entry(key) }
}

// MARK: - Conformance

extension UTType {
  /// Every type that this one conforms to, over any number of steps, itself apart.
  ///
  /// A supertype that a declaration names but that nobody has declared is left out until somebody does.
  public var supertypes: Set<UTType> { TypeRegistry.shared.catalog.supertypes(key) }

  /// Whether the type is another one or conforms to it, over any number of steps.
  public func conforms(to type: UTType) -> Bool {
    key == type.key || TypeRegistry.shared.catalog.conforms(key, to: type.key)
  }

  /// Whether the type conforms to another one and is not that type.
  public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }

  /// Whether another type conforms to this one and is not this type.
  public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }
}

// MARK: - Equality and coding

extension UTType: Hashable, CustomStringConvertible {
  /// Whether the identifiers are the same, whatever the case of their letters.
  public static func == (left: UTType, right: UTType) -> Bool { left.key == right.key }

  /// Hashes the identifier in lower case.
  public func hash(into hasher: inout Hasher) { hasher.combine(key) }

  /// The identifier.
  public var description: String { identifier }
}

extension UTType: Codable {
  /// Reads an identifier, a single string.
  ///
  /// - Throws: `DecodingError.dataCorrupted` if the type is unknown to this process. A value that stands for
  ///   nothing would hide the missing declaration, and what a file says must not become one. Declare the
  ///   program's types before decoding; dynamic and freedesktop types can always be decoded.
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
