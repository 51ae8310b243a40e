public import Documents
import DurableIO
import FilePackages
import FoundationEssentials

extension ImageNotes {
  /// Returns the tree to save.
  ///
  /// Only changed children get a new wrapper.
  ///
  /// All other children, also those that this type does not know, keep their wrapper.
  public func fileWrapper(configuration: WriteConfiguration) throws -> FileWrapper {
    let tree = configuration.existingFile ?? FileWrapper(directoryWithFileWrappers: [:])
    let before = try configuration.existingFile.map {
      try ImageNotes(configuration: ReadConfiguration(contentType: configuration.contentType, file: $0))
    }
    if before?.text.hasSameBytes(as: text) != true {
      try Self.replace(Layout.text, with: Data(text.utf8), in: tree)
    }
    try writeImages(over: before?.images, in: tree)
    if before?.customName.map({ Array($0.utf8) }) != customName.map({ Array($0.utf8) }) {
      try writeName(in: tree)
    }
    return tree
  }

  /// - Parameter former: the images of the tree; nil for a new tree.
  private func writeImages(over former: [Image]?, in tree: FileWrapper) throws {
    let before = former ?? []
    let kept = Set(images.filter { !$0.isNew }.map(\.place))
    let present = Set(before.map(\.place))
    for old in before where !kept.contains(old.place) {
      let file = try old.file()
      // An undo of the removal finds the bytes in the wrapper, which drops them with its last holder.
      if !images.contains(where: { $0.isNew(file) }) { _ = try file.contents() }
      old.directory?.removeFileWrapper(file)
    }
    for image in images {
      guard let file = try image.fileToAdd(amongst: present, isNewTree: former == nil) else { continue }
      let directory = image.folder.isEmpty ? tree : try Self.imagesDirectory(in: tree)
      if directory.add(file, at: FileName(image.name)) { continue }
      throw FilePackageError(
        .fileExists, .save, document: tree.filename ?? "", child: image.path,
        reason: "another program made something of that name meanwhile")
    }
    try writeList(over: before, in: tree)
  }

  /// Writes `Images.txt` if it says more than the names of the files and their order.
  private func writeList(over before: [Image], in tree: FileWrapper) throws {
    let list = ImageList(entries: images.map(\.entry))
    let places = images.map(\.place)
    let isNeeded =
      places != places.sorted()
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
    // Metadata that cannot be read are an error of the package's save.
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

extension String {
  /// Whether both have the same bytes. Strings that differ only in the way of writing accents are equal.
  func hasSameBytes(as other: String) -> Bool {
    self == other && utf8.elementsEqual(other.utf8)
  }
}

extension ImageNotes.Image {
  /// Makes sure that an earlier value still has the image after its removal from the package.
  func hold() throws {
    if case .stored(let image) = source { try image.hold() }
  }

  /// Returns the file to add to the tree, nil if the tree has it or another program removed it.
  ///
  /// The file is new, belongs to another tree, or was removed by an earlier save, which has its bytes in memory.
  ///
  /// - Throws: `imageIsGone` if the image's package is gone and the image was never read.
  func fileToAdd(amongst present: Set<PackagePath>, isNewTree: Bool) throws -> FileWrapper? {
    switch source {
    case .new(let file):
      // An earlier save wrote a file that has a name on disk.
      if present.contains(place) || file.filename == nil { return file }
      return FileWrapper(regularFileWithContents: try file.contents())
    case .stored:
      if present.contains(place) { return nil }
      do {
        return FileWrapper(regularFileWithContents: try file().contents())
      } catch let error as FilePackageError {
        // Another program removed it, so the save cannot lose it.
        if !isNewTree && error.code == .noSuchFile { return nil }
        throw ImageNotesError.imageIsGone(path, reason: error.reason ?? error.code.words)
      }
    }
  }

  /// Returns whether the image was added as this file, which a save may have written since.
  func isNew(_ file: FileWrapper) -> Bool {
    if case .new(let own) = source { own === file } else { false }
  }

  var isNew: Bool { directory == nil }

  var directory: FileWrapper? {
    if case .stored(let image) = source { image.directory } else { nil }
  }

  var entry: ImageList.Entry {
    ImageList.Entry(path: place.string, originalFilename: originalFilename, caption: caption)
  }
}
