public import FoundationEssentials
import Glibc
public import PackageFormat
import SystemPackage

extension UTType {
  /// Declares the types of a property list in XML, with the shape of an Info.plist.
  ///
  /// ```swift
  /// try UTType.declare(contentsOf: folderOfTheProgram.appending(path: "Info.plist"))
  /// ```
  ///
  /// It reads `UTExportedTypeDeclarations` and `UTImportedTypeDeclarations`. Each type has the required
  /// `UTTypeIdentifier`, and `UTTypeConformsTo`, `UTTypeTagSpecification`, `UTTypeDescription`, `UTTypeReferenceURL`
  /// and `UTTypeVersion`, a whole number. One string may stand for a list of one. Other keys are ignored.
  ///
  /// - Returns: the exported types and then the imported ones, in the order of the list.
  /// - Throws: `unreadableFile` or `malformedPropertyList`, and the errors of the declarations of single types.
  @discardableResult
  public static func declare(contentsOf url: URL) throws(DeclarationError) -> [UTType] {
    let data: Data
    do {
      data = try Data(contentsOf: url)
    } catch {
      let code = ((error as? CocoaError)?.underlying as? POSIXError)?.code.rawValue
      let reason = code.map { Errno(rawValue: $0).description.lowercased() } ?? "\(error)"
      throw DeclarationError(.unreadableFile, detail: reason, path: url.path)
    }
    let (exported, imported) = try declarations(in: data, path: url.path)
    return try TypeRegistry.shared.declare(exported: exported, imported: imported)
  }

  /// Reads the declarations of a property list in XML, and declares nothing.
  package static func declarations(
    in data: Data, path: String
  ) throws(DeclarationError) -> (exported: [Declaration], imported: [Declaration]) {
    guard let values = PropertyListReader.dictionary(data) else {
      let detail =
        data.starts(with: "bplist".utf8)
        ? "they are a binary property list; 'plistutil -i FILE' makes XML of it"
        : "they are no readable property list"
      throw DeclarationError(.malformedPropertyList, detail: detail, path: path)
    }
    let list = TypeDeclarationList(values: values, path: path)
    return (
      try list.declarations("UTExportedTypeDeclarations"), try list.declarations("UTImportedTypeDeclarations")
    )
  }
}

private struct TypeDeclarationList {
  typealias Values = [String: PropertyListValue]

  let values: Values
  let path: String

  func declarations(_ key: String) throws(UTType.DeclarationError) -> [UTType.Declaration] {
    var declarations: [UTType.Declaration] = []
    for entry in try value(key, in: values, \.array) ?? [] {
      guard case .dictionary(let values) = entry else {
        throw malformed("a type of '\(key)' is no dictionary")
      }
      guard let identifier = try value("UTTypeIdentifier", in: values, \.text) else {
        throw malformed("the 'UTTypeIdentifier' of a type of '\(key)' is missing")
      }
      var declaration = UTType.Declaration(
        identifier: identifier,
        conformsTo: (try value("UTTypeConformsTo", in: values, \.texts) ?? []).map { UTType(unchecked: $0) },
        description: try value("UTTypeDescription", in: values, \.text),
        referenceURL: try value("UTTypeReferenceURL", in: values, \.text).flatMap { URL(string: $0) },
        version: values["UTTypeVersion"]?.number)
      for (tagClass, tags) in try value("UTTypeTagSpecification", in: values, \.dictionary) ?? [:] {
        guard let tags = tags.texts else {
          throw malformed("the '\(tagClass)' of '\(identifier)' is no text")
        }
        declaration.tags[UTTagClass(rawValue: tagClass)] = tags
      }
      declarations.append(declaration)
    }
    return declarations
  }

  /// Returns the value of a key in the kind that it has to have; nil without the key.
  private func value<Kind>(
    _ key: String, in values: Values, _ kind: (PropertyListValue) -> Kind?
  ) throws(UTType.DeclarationError) -> Kind? {
    guard let value = values[key] else { return nil }
    guard let result = kind(value) else { throw malformed("'\(key)' has a value of another kind") }
    return result
  }

  private func malformed(_ reason: String) -> UTType.DeclarationError {
    UTType.DeclarationError(.malformedPropertyList, detail: reason, path: path)
  }
}

extension PropertyListValue {
  fileprivate var dictionary: [String: PropertyListValue]? {
    if case .dictionary(let values) = self { values } else { nil }
  }

  /// A list of texts, or one text alone.
  fileprivate var texts: [String]? {
    guard let array else { return text.map { [$0] } }
    let texts = array.compactMap(\.text)
    return texts.count == array.count ? texts : nil
  }

  /// A number, or a text with one; nil for another text, such as "1.0".
  fileprivate var number: Int? {
    integer.flatMap { Int(exactly: $0) } ?? text.flatMap { Int($0) }
  }
}
