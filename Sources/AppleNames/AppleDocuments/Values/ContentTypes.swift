public import Documents
public import Foundation

extension URLResourceKey {
  /// Asks `resourceValues(forKeys:)` for `contentType`.
  ///
  /// Foundation on Linux gives no types, so that this is its key of the name.
  public static let contentTypeKey = URLResourceKey.nameKey
}

extension URLResourceValues {
  /// The type that the file's name has; nil unless `contentTypeKey` or `nameKey` was asked for.
  ///
  /// If `isDirectoryKey` was asked for as well, a name without a known extension is that of a folder or of a file.
  /// Unlike Apple's, it is nil for a name that has no known type if only the name is known.
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
  /// Adds the extension of the type, unless the name has one of that type.
  public func appendingPathExtension(for contentType: UTType) -> String {
    let name = self as String
    if UTType(filenameExtension: pathExtension)?.conforms(to: contentType) == true { return name }
    return contentType.preferredFilenameExtension.map { "\(name).\($0)" } ?? name
  }
}

extension URL {
  /// Adds a name with the extension of the type.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
    appendingPathComponent((partialName as NSString).appendingPathExtension(for: contentType))
  }

  /// Adds the extension of the type.
  public func appendingPathExtension(for contentType: UTType) -> URL {
    deletingLastPathComponent()
      .appendingPathComponent((lastPathComponent as NSString).appendingPathExtension(for: contentType))
  }
}
