import FilePackages
import FoundationEssentials

extension FlatFileStore {
  /// The type of the document: what its name says.
  var contentType: UTType { UTType(filename: url.lastPathComponent, isDirectory: false) }

  /// Reads the document as content of this type.
  func content<Content: DocumentContent>(as type: Content.Type) throws -> Content {
    try Content(
      configuration: FileDocumentReadConfiguration(
        contentType: contentType(for: type), file: file, at: isOnRealDisk ? url : nil))
  }

  /// Saves the content; writes nothing where its type gives back the wrapper that is on disk, or the same bytes.
  func save<Content: DocumentContent>(_ content: Content) throws -> SaveReport {
    let new = try fileWrapper(of: content, writingBeside: url)
    if new !== file, try new.isSame(as: file) { return try save(file) }
    return try save(new)
  }

  /// The file with the content in it.
  ///
  /// - Parameter place: where a content that writes by URL may do so; nil for among the temporary files.
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
