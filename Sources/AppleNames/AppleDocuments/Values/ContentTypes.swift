public import Documents
public import Foundation

extension URLResourceKey {
  /// Asks `resourceValues(forKeys:)` for `contentType`.
  ///
  /// Foundation on Linux has no types, so this is the same key as `nameKey`.
  public static let contentTypeKey = URLResourceKey.nameKey
}

extension URLResourceValues {
  /// The type that the filename implies; nil unless `contentTypeKey` or `nameKey` was requested.
  ///
  /// If `isDirectoryKey` was requested as well, a name without a known extension has a type of folders or of files.
  /// Otherwise, unlike Apple's, it is nil for such a name.
  public var contentType: UTType? {
    guard let name else { return nil }
    if let isDirectory { return UTType(filename: name, isDirectory: isDirectory) }
    let fileExtension = (name as NSString).pathExtension
    if fileExtension.isEmpty { return nil }
    return UTType.ofItem(withExtension: fileExtension).flatMap { $0.isDynamic ? nil : $0 }
  }
}

extension UTType {
  /// Returns the type of a file or package with that extension; nil if it is empty.
  ///
  /// A declared type comes before one that is made for an unknown extension.
  static func ofItem(withExtension fileExtension: String) -> UTType? {
    let types = [UTType.data, .package].compactMap {
      UTType(filenameExtension: fileExtension, conformingTo: $0)
    }
    return types.first { !$0.isDynamic } ?? types.first
  }
}

extension NSString {
  /// Returns the name with the preferred extension of the type, unless it already has an extension of the type.
  public func appendingPathExtension(for contentType: UTType) -> String {
    let name = self as String
    if UTType(filenameExtension: pathExtension)?.conforms(to: contentType) == true { return name }
    return contentType.preferredFilenameExtension.map { "\(name).\($0)" } ?? name
  }
}

extension URL {
  /// Returns the URL of a child, whose name gets the extension of the type unless it has one.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
    appendingPathComponent((partialName as NSString).appendingPathExtension(for: contentType))
  }

  /// Returns the URL with the extension of the type, unless the name already has one.
  public func appendingPathExtension(for contentType: UTType) -> URL {
    deletingLastPathComponent()
      .appendingPathComponent((lastPathComponent as NSString).appendingPathExtension(for: contentType))
  }
}
