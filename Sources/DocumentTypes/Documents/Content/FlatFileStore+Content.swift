import FilePackages
import FoundationEssentials

extension FlatFileStore {
  /// The type of the document, by its name.
  var contentType: UTType { UTType(filename: url.lastPathComponent, isDirectory: false) }

  /// Reads the document as content of this type.
  func content<Content: DocumentContent>(as type: Content.Type) throws -> Content {
    try Content(
      configuration: FileDocumentReadConfiguration(
        contentType: contentType(for: type), file: file, at: isOnRealDisk ? url : nil))
  }

  /// Saves the content; writes nothing if its type returns the wrapper on disk, or the same bytes.
  func save<Content: DocumentContent>(_ content: Content) throws -> SaveReport {
    let new = try fileWrapper(of: content, writingBeside: url)
    if new !== file, try new.isSame(as: file) { return try save(file) }
    return try save(new)
  }

  /// Returns the file with the content in it.
  ///
  /// - Parameter place: the document beside which a content may write by URL; nil for the temporary folder.
  func fileWrapper<Content: DocumentContent>(
    of content: Content, writingBeside place: URL?
  ) throws -> FileWrapper {
    try content.fileWrapper(
      configuration: FileDocumentWriteConfiguration(
        contentType: contentType(for: Content.self), existingFile: file, at: isOnRealDisk ? url : nil,
        writingBeside: isOnRealDisk ? place : nil))
  }

  private func contentType<Content: DocumentContent>(for type: Content.Type) -> UTType {
    _ = (type.readableContentTypes, type.writableContentTypes)
    return contentType
  }
}

extension FileWrapper {
  fileprivate func isSame(as other: FileWrapper) throws -> Bool {
    guard isRegularFile, other.isRegularFile, regularFileSize == other.regularFileSize else { return false }
    return try contents() == other.contents()
  }
}
