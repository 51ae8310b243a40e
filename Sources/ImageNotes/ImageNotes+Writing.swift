public import Documents
public import FilePackages
import FoundationEssentials

extension ImageNotes {
  /// Gives the tree to be saved. Only what changed gets a new wrapper; everything else, also children that this
  /// type knows nothing of, is the same wrapper as before.
  public func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    let before = try configuration.existingFile.map {
      try ImageNotes(configuration: ReadConfiguration(contentType: configuration.contentType, file: $0))
    }
    if before?.text != text { try Self.replace(Layout.text, with: Data(text.utf8), in: tree) }
    try writeImages(over: before?.images, in: tree)
    if before?.customName != customName { try writeName(in: tree) }
    return tree
  }

  /// - Parameter former: the images of the tree; nil where it is a new one.
  private func writeImages(over former: [Image]?, in tree: FileWrapper) throws {
    let before = former ?? []
    let kept = Set(images.filter { !$0.isNew }.map(\.path))
    let present = Set(before.map(\.path))
    for old in before where !kept.contains(old.path) {
      let file = try old.file()
      // Whoever undoes the removal finds the bytes in the wrapper; if nobody holds it, they go with it.
      if !images.contains(where: { $0.isNew(file) }) { _ = try file.contents() }
      old.directory?.removeFileWrapper(file)
    }
    for image in images {
      guard let file = try image.fileToAdd(amongst: present, isNewTree: former == nil) else { continue }
      let directory = image.folder.isEmpty ? tree : try Self.imagesDirectory(in: tree)
      file.preferredFilename = image.name
      directory.addFileWrapper(file)
    }
    try writeList(over: before, in: tree)
  }

  /// Writes `Images.txt` where it says more than the files' names and their order do.
  private func writeList(over before: [Image], in tree: FileWrapper) throws {
    let list = ImageList(entries: images.map(\.entry))
    let names = images.map(\.path)
    let isNeeded =
      names != names.sorted(by: { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
      || images.contains { !$0.caption.isEmpty || $0.originalFilename != $0.name }
    let existing = try Self.string(Layout.list, in: tree)
    if images.isEmpty {
      if let file = try tree.child(named: Layout.list) { tree.removeFileWrapper(file) }
    } else if existing != nil || isNeeded, list.entries != before.map(\.entry) || existing == nil {
      try Self.replace(Layout.list, with: Data(list.text.utf8), in: tree)
    }
  }

  private func writeName(in tree: FileWrapper) throws {
    let old = try tree.child(named: Layout.metadata)?.contents()
    // Metadata that cannot be read is reported when the package is saved.
    var metadata = old.flatMap { try? PackageMetadata(decoding: $0) } ?? PackageMetadata()
    metadata.displayName = customName
    try Self.replace(Layout.metadata, with: metadata.encoded(), in: tree)
  }

  private static func imagesDirectory(in tree: FileWrapper) throws -> FileWrapper {
    if let directory = try tree.descendant(at: Layout.images) {
      guard directory.isDirectory else {
        throw FilePackageError(
          .wrongKind, .save, document: tree.filename ?? "", child: Layout.images, reason: "it is not a folder"
        )
      }
      return directory
    }
    let directory = FileWrapper(directoryWithFileWrappers: [:])
    directory.preferredFilename = Layout.images
    tree.addFileWrapper(directory)
    return directory
  }

  private static func replace(_ name: String, with data: Data, in tree: FileWrapper) throws {
    try tree.setDescendant(FileWrapper(regularFileWithContents: data), at: name)
  }
}

extension ImageNotes.Image {
  /// Takes care that an earlier value has the image still when it is gone from the package.
  func hold() throws {
    if case .stored(let image) = source { try image.hold() }
  }

  /// The file that is not in the tree, since it is new, is of another tree, or was removed by an earlier save, which has it
  /// in memory; nil for one that another program removed.
  ///
  /// - Throws: `imageIsGone` where the package that had it is gone and nobody has read it.
  func fileToAdd(amongst present: Set<String>, isNewTree: Bool) throws -> FileWrapper? {
    switch source {
    case .new(let file):
      // One that has a name on disk was saved before.
      if present.contains(path) || file.filename == nil { return file }
      return FileWrapper(regularFileWithContents: try file.contents())
    case .stored:
      if present.contains(path) { return nil }
      do {
        return FileWrapper(regularFileWithContents: try file().contents())
      } catch let error as FilePackageError {
        // Another program removed it, and what is not there cannot be lost.
        if !isNewTree && error.code == .noSuchFile { return nil }
        throw ImageNotesError.imageIsGone(path, reason: error.reason ?? error.code.words)
      }
    }
  }

  /// Whether it was added as this file, which may be saved by now.
  func isNew(_ file: FileWrapper) -> Bool {
    if case .new(let own) = source { own === file } else { false }
  }

  var isNew: Bool { directory == nil }

  var directory: FileWrapper? {
    if case .stored(let image) = source { image.directory } else { nil }
  }

  var entry: ImageList.Entry {
    ImageList.Entry(path: path, originalFilename: originalFilename, caption: caption)
  }
}
