public import FilePackages
public import FoundationEssentials

extension PackageStore {
  /// The type of the document: what its metadata says, where that type is declared by now, or else what its
  /// name says.
  public var contentType: UTType {
    // Metadata that cannot be read is reported by `metadata()` and by saving; the name still tells a type.
    let declared = (try? metadata())?.contentType.flatMap { UTType($0) }
    return declared ?? UTType(filename: url.lastPathComponent, isDirectory: true)
  }

  /// Reads the document as content of this type.
  ///
  /// - Throws: what the content's initialiser throws.
  public func content<Content: DocumentContent>(as type: Content.Type = Content.self) throws -> Content {
    try Content(
      configuration: FileDocumentReadConfiguration(
        contentType: contentType(for: type), file: tree, at: place(for: type)))
  }

  /// Saves the content: its type replaces in the tree what changed, and only that is written.
  ///
  /// - Throws: what the content's `fileWrapper(configuration:)` throws, and what `save(_:options:)` throws.
  @discardableResult
  public func save(_ content: some DocumentContent, options: SavingOptions = []) throws -> SaveReport {
    try save(fileWrapper(of: content, writingBeside: url), options: options)
  }

  /// Says what saving the content would do, without touching anything on disk.
  public func plan(_ content: some DocumentContent) throws -> SavePlan {
    try plan(fileWrapper(of: content, writingBeside: nil))
  }

  /// The tree with the content in it.
  ///
  /// - Parameter url: where a content that writes by URL may do so; nil for among the temporary files.
  func fileWrapper<Content: DocumentContent>(
    of content: Content, writingBeside url: URL?
  ) throws -> FileWrapper {
    try content.fileWrapper(
      configuration: FileDocumentWriteConfiguration(
        contentType: contentType(for: Content.self), existingFile: tree, at: place(for: Content.self),
        writingBeside: isOnRealDisk ? url : nil))
  }

  /// Where a content that reads and writes by URL finds the tree on disk; nil for other contents, and where it is not
  /// there as it is.
  func place<Content: DocumentContent>(for type: Content.Type) -> URL? {
    guard type is any URLDocumentContent.Type, isOnRealDisk else { return nil }
    // What cannot be published is in the tree alone.
    try? publish()
    return unpublishedProblem == nil ? url : nil
  }

  /// The type of the document, once the content's own types are declared, which naming them does.
  private func contentType<Content: DocumentContent>(for type: Content.Type) -> UTType {
    _ = (type.readableContentTypes, type.writableContentTypes)
    return contentType
  }

  /// Makes a new document of the content, of its first writable type.
  ///
  /// - Parameter writesMetadata: whether the package gets a `Metadata.plist`, which is one of its children for every
  ///   content that counts them; without it the document has no identifier, no versions and no type but its name's.
  /// - Throws: what the content's `fileWrapper(configuration:)` throws, and what `create(_:at:contentType:)`
  ///   throws.
  public static func create<Content: DocumentContent>(
    _ content: Content, at url: URL, writesMetadata: Bool = true
  ) async throws -> (store: PackageStore, report: SaveReport) {
    let (tree, type) = try newTree(content, writingBeside: url)
    return try await create(tree, at: url, contentType: writesMetadata ? type.identifier : nil)
  }

  /// Says what making a new document of the content would do, without touching anything.
  public static func plan<Content: DocumentContent>(creating content: Content, at url: URL) throws -> SavePlan
  {
    let (tree, type) = try newTree(content, writingBeside: nil)
    return try plan(creating: tree, at: url, contentType: type.identifier)
  }

  private static func newTree<Content: DocumentContent>(
    _ content: Content, writingBeside url: URL?
  ) throws -> (tree: FileWrapper, type: UTType) {
    let type = Content.writableContentTypes.first ?? .package
    let configuration = FileDocumentWriteConfiguration(
      contentType: type, existingFile: nil, at: nil, writingBeside: url)
    return (try content.fileWrapper(configuration: configuration), type)
  }
}
