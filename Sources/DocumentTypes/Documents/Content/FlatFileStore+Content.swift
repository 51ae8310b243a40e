import FilePackages
import FoundationEssentials

extension FlatFileStore {
  /// The type of the document, by its name.
  var contentType: UTType { UTType(filename: url.lastPathComponent, isDirectory: false) }

  /// Reads a file as content of this document.
  ///
  /// - Parameter place: the URL at which the disk holds the same file; nil if it holds none.
  func read<Content: DocumentContent>(
    _ file: FileWrapper, as type: Content.Type, at place: URL?
  ) throws -> Content {
    try type.read(file, contentType, pathExtension: url.pathExtension, at: place)
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
    try content.written(
      over: file, contentType, pathExtension: url.pathExtension, at: isOnRealDisk ? url : nil,
      writingBeside: isOnRealDisk ? place : nil)
  }
}

extension FileWrapper {
  fileprivate func isSame(as other: FileWrapper) throws -> Bool {
    guard isRegularFile, other.isRegularFile, regularFileSize == other.regularFileSize else { return false }
    return try contents() == other.contents()
  }
}
