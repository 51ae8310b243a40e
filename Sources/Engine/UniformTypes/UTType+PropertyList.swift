public import FoundationEssentials
import Glibc

extension UTType.Declarations {
  /// Reads the declarations of a property list with the shape of an Info.plist.
  ///
  /// It reads `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`. Each type has the required
  /// `UTTypeIdentifier`, and `UTTypeConformsTo`, `UTTypeTagSpecification`, `UTTypeDescription`, `UTTypeReferenceURL`
  /// and `UTTypeVersion`. One string may stand for a list of one. Other keys are ignored. This call declares nothing:
  /// see `UTType.declare(_:)`.
  ///
  /// - Parameter data: an XML or binary property list.
  /// - Throws: `malformedPropertyList`.
  public init(propertyList data: Data) throws(UTType.DeclarationError) {
    try self.init(propertyList: data, path: nil)
  }

  /// Reads the declarations of a file with the shape of an Info.plist.
  ///
  /// - Throws: `unreadableFile` or `malformedPropertyList`, both with the path.
  public init(contentsOf url: URL) throws(UTType.DeclarationError) {
    let path = url.path
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      throw UTType.DeclarationError(.unreadableFile, detail: Self.reason(error), path: path)
    }
    try self.init(propertyList: data, path: path)
  }

  private init(propertyList data: Data, path: String?) throws(UTType.DeclarationError) {
    let file: InformationFile
    do {
      guard PropertyListShape.isBounded(data) else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: [], debugDescription: "It is not a readable property list."))
      }
      file = try PropertyListDecoder().decode(InformationFile.self, from: data)
    } catch {
      throw UTType.DeclarationError(.malformedPropertyList, detail: Self.reason(error), path: path)
    }
    self.init(
      exported: (file.exported ?? []).map(UTType.Declaration.init),
      imported: (file.imported ?? []).map(UTType.Declaration.init))
  }

  /// Returns the reason without a full stop, because the error's sentence ends with one.
  private static func reason(_ error: any Error) -> String {
    let reason =
      switch error {
      case DecodingError.keyNotFound(let key, let context):
        "\(place(context))'\(key.stringValue)' is missing"
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        "\(place(context))\(context.debugDescription)"
      case let error as CocoaError: systemReason(error) ?? String(describing: error)
      default: String(describing: error)
      }
    return reason.hasSuffix(".") ? String(reason.dropLast()) : reason
  }

  private static func systemReason(_ error: CocoaError) -> String? {
    guard let number = (error.underlying as? POSIXError)?.code.rawValue, let text = strerror(number) else {
      return nil
    }
    return String(cString: text).lowercased()
  }

  private static func place(_ context: DecodingError.Context) -> String {
    let path = context.codingPath.map { key in key.intValue.map(String.init) ?? key.stringValue }
    return path.isEmpty ? "" : "at " + path.joined(separator: "/") + ", "
  }
}

extension UTType.Declaration {
  fileprivate init(_ dictionary: InformationFile.Entry) {
    self.init(
      identifier: dictionary.identifier,
      conformsTo: (dictionary.conformsTo?.values ?? []).map {
        UTType(TypeEntry(identifier: $0, parents: []))
      },
      description: dictionary.description,
      referenceURL: dictionary.referenceURL.flatMap { URL(string: $0) },
      version: dictionary.version?.value)
    for (tagClass, values) in dictionary.tags ?? [:] where !values.values.isEmpty {
      tags[UTTagClass(rawValue: tagClass)] = values.values
    }
  }
}

/// The keys of an Info.plist that this package reads.
private struct InformationFile: Decodable {
  struct Entry: Decodable {
    var identifier: String
    var conformsTo: Strings?
    var tags: [String: Strings]?
    var description: String?
    var referenceURL: String?
    var version: Version?

    enum CodingKeys: String, CodingKey {
      case identifier = "UTTypeIdentifier"
      case conformsTo = "UTTypeConformsTo"
      case tags = "UTTypeTagSpecification"
      case description = "UTTypeDescription"
      case referenceURL = "UTTypeReferenceURL"
      case version = "UTTypeVersion"
    }
  }

  /// A list of strings, or one string alone.
  struct Strings: Decodable {
    var values: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let single = try? container.decode(String.self) {  // Otherwise it is a list.
        values = [single]
      } else {
        values = try container.decode([String].self)
      }
    }
  }

  /// A number, or a string with a number; any other string is no version.
  struct Version: Decodable {
    var value: Int?

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {  // Otherwise it is a number.
        value = Int(text)
      } else {
        value = try container.decode(Int.self)
      }
    }
  }

  var exported: [Entry]?
  var imported: [Entry]?

  enum CodingKeys: String, CodingKey {
    case exported = "UTExportedTypeDeclarations"
    case imported = "UTImportedTypeDeclarations"
  }
}
