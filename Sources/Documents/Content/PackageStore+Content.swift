public import FilePackages
public import FoundationEssentials

extension PackageStore {
  /// The type of the document: the type in its metadata, if it is declared by now, or else the type of its name.
  public var contentType: UTType {
    // Metadata that cannot be read is an error of `metadata()` and of a save; the name still has a type.
    let declared = (try? metadata())?.contentType.flatMap { UTType($0) }
    return declared ?? UTType(filename: url.lastPathComponent, isDirectory: true)
  }

  /// Reads the document as content of this type.
  ///
  /// - Throws: the error of the content's initialiser.
  public func content<Content: DocumentContent>(as type: Content.Type = Content.self) throws -> Content {
    try Content(
      configuration: FileDocumentReadConfiguration(
        contentType: contentType(for: type), file: tree, at: place(for: type)))
  }

  /// Saves the content. Its type replaces changed children in the tree, and the save writes only them.
  ///
  /// - Throws: the errors of the content's `fileWrapper(configuration:)` and of `save(_:options:)`.
  @discardableResult
  public func save(_ content: some DocumentContent, options: SavingOptions = []) throws -> SaveReport {
    try save(fileWrapper(of: content, writingBeside: url), options: options)
  }

  /// Returns the plan of a save of the content, without a change on disk.
  public func plan(_ content: some DocumentContent) throws -> SavePlan {
    try plan(fileWrapper(of: content, writingBeside: nil))
  }

  /// Returns the tree with the content in it.
  ///
  /// - Parameter url: the document beside which a content may write by URL; nil for the temporary folder.
  func fileWrapper<Content: DocumentContent>(
    of content: Content, writingBeside url: URL?
  ) throws -> FileWrapper {
    try content.fileWrapper(
      configuration: FileDocumentWriteConfiguration(
        contentType: contentType(for: Content.self), existingFile: tree, at: place(for: Content.self),
        writingBeside: isOnRealDisk ? url : nil))
  }

  /// Returns the URL at which a content that reads and writes by URL finds the same tree on disk.
  ///
  /// It returns nil for other contents, and if the disk does not hold the same tree.
  func place<Content: DocumentContent>(for type: Content.Type) -> URL? {
    guard type is any URLDocumentContent.Type, isOnRealDisk else { return nil }
    // If a publish fails, only the tree has the changes.
    try? publish()
    return unpublishedProblem == nil ? url : nil
  }

  /// Returns the type of the document after the content's types are declared; their use declares them.
  private func contentType<Content: DocumentContent>(for type: Content.Type) -> UTType {
    _ = (type.readableContentTypes, type.writableContentTypes)
    return contentType
  }

  /// Makes a new document of the content, of its first writable type.
  ///
  /// - Parameter writesMetadata: whether the package gets a `Metadata.plist`, which a content that counts children sees
  ///   as a child. Without it the document has no identifier, no versions and only its name's type.
  /// - Throws: the errors of the content's `fileWrapper(configuration:)` and of `create(_:at:contentType:)`.
  public static func create<Content: DocumentContent>(
    _ content: Content, at url: URL, writesMetadata: Bool = true
  ) async throws -> (store: PackageStore, report: SaveReport) {
    let (tree, type) = try content.newTree(writingBeside: url)
    return try await create(tree, at: url, contentType: writesMetadata ? type.identifier : nil)
  }

  /// Returns the plan of a new document of the content, without a change on disk.
  public static func plan<Content: DocumentContent>(creating content: Content, at url: URL) throws -> SavePlan
  {
    let (tree, type) = try content.newTree(writingBeside: nil)
    return try plan(creating: tree, at: url, contentType: type.identifier)
  }
}

extension DocumentContent {
  /// Returns the tree of a document that is on no disk, of the first writable type.
  ///
  /// - Parameter url: the document beside which the content may write by URL; nil for the temporary folder.
  func newTree(writingBeside url: URL?) throws -> (tree: FileWrapper, type: UTType) {
    let type = Self.writableContentTypes.first ?? .package
    let configuration = FileDocumentWriteConfiguration(
      contentType: type, existingFile: nil, at: nil, writingBeside: url)
    return (try fileWrapper(configuration: configuration), type)
  }
}
