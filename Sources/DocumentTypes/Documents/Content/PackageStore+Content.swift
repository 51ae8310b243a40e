import DurableIO
public import FilePackages
public import FoundationEssentials

extension PackageStore {
  /// The type of the document: the type in its metadata, if it is declared by now, or else the type of its name.
  ///
  /// If the metadata name a `public.` type, such as `public.item`, and the type of the name conforms to it, the name
  /// decides.
  public var contentType: UTType {
    // Metadata that cannot be read is an error of `metadata()` and of a save; the name still has a type.
    let declared = (try? metadata())?.contentType.flatMap { UTType($0.identifier) }
    let named = UTType(filename: url.lastPathComponent, isDirectory: true)
    guard let declared else { return named }
    // A name may tell more than a general type, such as `public.item` of a content that writes any type.
    return declared.isPublic && named.conforms(to: declared) ? named : declared
  }

  /// Reads the document as content of this type.
  ///
  /// - Throws: the error of the content's initialiser.
  public func content<Content: DocumentContent>(as type: Content.Type = Content.self) throws -> Content {
    try read(tree, as: type)
  }

  /// Reads a tree as content of this document.
  func read<Content: DocumentContent>(_ tree: FileWrapper, as type: Content.Type) throws -> Content {
    try type.read(view(of: tree, for: type), contentType, pathExtension: url.pathExtension)
  }

  /// Saves the content. Its type replaces changed children in the tree, and the save writes only them.
  ///
  /// - Throws: the errors of the content's `fileWrapper(configuration:)` and of `save(_:options:)`.
  @discardableResult
  public func save(_ content: some DocumentContent, options: SavingOptions = []) throws -> SaveReport {
    try save(fileWrapper(of: content), options: options)
  }

  /// Returns the plan of a save of the content, without a change on disk.
  public func plan(_ content: some DocumentContent) throws -> SavePlan {
    try plan(fileWrapper(of: content))
  }

  /// Returns the tree with the content in it.
  func fileWrapper<Content: DocumentContent>(of content: Content) throws -> FileWrapper {
    let written = try self.written(content)
    let role = metadataRole(isVisible: Content.seesMetadata)
    if written !== tree {
      if role == .hidden {
        try dropOwnFiles(from: written)
        if try written.hasMetadataChild { throw metadataIsTaken }
      }
      written.metadataRole = role
    }
    return written
  }

  /// Returns the tree that the content writes.
  func written<Content: DocumentContent>(_ content: Content) throws -> FileWrapper {
    try content.written(
      over: view(of: tree, for: Content.self), contentType, pathExtension: url.pathExtension)
  }

  /// Removes the store's own files, as any save wrote them, from a tree that the content made.
  ///
  /// A model that reads its folder by URL has such copies. A `Metadata.plist` in which it has changed a value stays, and
  /// so does a hidden folder with other files.
  func dropOwnFiles(from written: FileWrapper) throws {
    guard written.isDirectory, let own = committedMetadata else { return }
    if let child = try written.child(named: PackageLayout.metadata.string), child.isRegularFile,
      // Bytes of any other program are the content's child.
      let copy = try? PackageMetadata(decoding: child.contents()), copy.identifier == own.identifier,
      copy.applicationValues == own.applicationValues
    {
      written.removeFileWrapper(child)
    }
    if let child = try written.child(named: PackageLayout.hidden.string), child.isDirectory,
      try child.childNames().allSatisfy({ PackageLayout.namesInHidden.contains(FileName($0)) })
    {
      written.removeFileWrapper(child)
    }
  }

  /// Returns a tree of this document with the children that content of the type sees.
  func view<Content: DocumentContent>(of tree: FileWrapper, for type: Content.Type) -> FileWrapper {
    tree.metadataRole = metadataRole(isVisible: type.seesMetadata)
    return tree
  }

  private var metadataIsTaken: FilePackageError {
    FilePackageError(
      .reservedName, .save, document: url.path, child: PackageLayout.metadata.string,
      reason:
        "the store's metadata has this name; the document needs a new package, with 'writesMetadata' false")
  }

  /// Makes a new document of the content.
  ///
  /// The filename selects one of the content's writable types. If it selects none, the type is a writable one without
  /// an extension, or else the first.
  ///
  /// - Parameter writesMetadata: whether the package gets a `Metadata.plist`. Without it the document has no
  ///   identifier, no versions and only its name's type. If the content writes a child of that name, the package gets
  ///   no metadata.
  /// - Throws: the errors of the content's `fileWrapper(configuration:)` and of `create(_:at:contentType:)`.
  public static func create<Content: DocumentContent>(
    _ content: Content, at url: URL, writesMetadata: Bool = true
  ) async throws -> (store: PackageStore, report: SaveReport) {
    let (tree, newType) = try await content.newTreeOnOwnThread(at: url)
    let type = try tree.takeMetadata(of: Content.self, as: writesMetadata ? newType : nil)
    return try await create(tree, at: url, contentType: type)
  }

  /// Returns the plan of a new document of the content, without a change on disk.
  public static func plan<Content: DocumentContent>(creating content: Content, at url: URL) throws -> SavePlan
  {
    let (tree, type) = try content.newTree(at: url)
    return try plan(creating: tree, at: url, contentType: tree.takeMetadata(of: Content.self, as: type))
  }
}

extension DocumentContent {
  /// Returns the tree of a document that is on no disk.
  ///
  /// - Parameter place: the document's place, whose extension tells its type; nil for the first writable type.
  func newTree(at place: URL?) throws -> (tree: FileWrapper, type: UTType) {
    let type = try ownTypeLists.typesOfNewDocument(named: place?.lastPathComponent)
    return (try tree(.init(contentType: type.own, existingFile: nil)), type.special ?? type.own)
  }

  /// Does the same on a thread of its own: the content's own code may take its time, or need the caller's actor.
  func newTreeOnOwnThread(at place: URL) async throws -> (tree: FileWrapper, type: UTType) {
    try await BlockingThread().run { try newTree(at: place) }
  }
}

extension FileWrapper {
  /// Whether the tree has a child with the name of the metadata.
  fileprivate var hasMetadataChild: Bool {
    get throws { try isDirectory && child(named: PackageLayout.metadata.string) != nil }
  }

  /// Gives `Metadata.plist` its role in a new document of this tree.
  ///
  /// - Parameter contentType: the type that the metadata should name; nil for a package without metadata.
  /// - Returns: the same; nil if the content has a child of that name.
  func takeMetadata<Content: DocumentContent>(
    of type: Content.Type, as contentType: UTType?
  ) throws -> UTType? {
    if type.seesMetadata { return contentType }
    let isTaken = try hasMetadataChild
    metadataRole = isTaken ? .child : .hidden
    return isTaken ? nil : contentType
  }
}
