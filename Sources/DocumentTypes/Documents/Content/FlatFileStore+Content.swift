import FilePackages
import FoundationEssentials

extension FlatFileStore {
  /// The type of the document, by its name.
  var contentType: UTType { UTType(filename: url.lastPathComponent, isDirectory: false) }

  /// Reads a file as content of this document.
  func read<Content: DocumentContent>(_ file: FileWrapper, as type: Content.Type) throws -> Content {
    try type.read(file, contentType, pathExtension: url.pathExtension)
  }

  /// Saves the content; writes nothing if its type returns the wrapper on disk, or the same bytes.
  func save<Content: DocumentContent>(_ content: Content) throws -> SaveReport {
    let new = try fileWrapper(of: content)
    if new !== file, try new.isSame(as: file) { return try save(file) }
    return try save(new)
  }

  /// Returns the file with the content in it.
  func fileWrapper(of content: some DocumentContent) throws -> FileWrapper {
    try content.written(over: file, contentType, pathExtension: url.pathExtension)
  }
}

extension FileWrapper {
  fileprivate func isSame(as other: FileWrapper) throws -> Bool {
    guard isRegularFile, other.isRegularFile, regularFileSize == other.regularFileSize else { return false }
    return try contents() == other.contents()
  }
}
