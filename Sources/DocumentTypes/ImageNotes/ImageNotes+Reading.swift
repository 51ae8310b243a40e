public import Documents
import FilePackages
import FoundationEssentials

/// The names of the parts.
enum Layout {
  static let text = "Text.txt"
  static let images = "Images"
  static let list = "Images.txt"
  static let metadata = "Metadata.plist"
  /// The name, without its extension, of the one image of the classic shape.
  static let classicImage = "Image"
}

extension ImageNotes {
  /// Reads a document; of the images, only their names.
  ///
  /// - Throws: `wrongKind` if the document is not a directory; `invalidContent` if `Text.txt` is not UTF-8; the
  ///   system's error if a part is unreadable.
  public init(configuration: ReadConfiguration) throws {
    let tree = configuration.file
    guard tree.isDirectory else {
      throw FilePackageError(
        .wrongKind, .open, document: tree.filename ?? "", reason: "an ImageNotes document is a directory")
    }
    text = try Self.string(Layout.text, in: tree) ?? ""
    customName = try Self.customName(in: tree)
    (images, missingImages, otherNames) = try Self.images(in: tree)
  }

  static func string(_ name: String, in tree: FileWrapper) throws -> String? {
    guard let file = try tree.child(named: name) else { return nil }
    guard file.isRegularFile else {
      throw FilePackageError(
        .wrongKind, .open, document: tree.filename ?? "", child: name, reason: "it is not a regular file")
    }
    let bytes = try file.contents()
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw FilePackageError(
        .invalidContent, .open, document: tree.filename ?? "", child: name,
        reason: "the text is not valid UTF-8")
    }
    return string
  }

  static func customName(in tree: FileWrapper) throws -> String? {
    // If another program has saved meanwhile, this state's name is no longer on disk.
    guard let file = try tree.child(named: Layout.metadata), file.isRegularFile,
      let bytes = try unlessGone({ try file.contents() })
    else { return nil }
    // Metadata of another program have no name of ours; a save reports them.
    return (try? PackageMetadata(decoding: bytes))?.displayName
  }

  /// Reads the images, the names of those that the list has and the package lacks, and the other names in `Images`.
  private static func images(in tree: FileWrapper) throws -> ([Image], missing: [String], others: [String]) {
    var found: [PackagePath: Image] = [:]
    var order: [PackagePath] = []
    func add(_ name: String, _ folder: [String], _ directory: FileWrapper) {
      let image = Image(
        name: name, originalFilename: name, caption: "", folder: folder,
        source: .stored(StoredImage(name, in: directory)))
      found[image.place] = image
      order.append(image.place)
    }
    for name in try tree.regularFileNames() where FreeName.split(name).base == Layout.classicImage {
      add(name, [], tree)
    }
    var others: [String] = []
    if let directory = try tree.child(named: Layout.images), directory.isDirectory {
      // Hidden files belong to a file manager, not to the document.
      let names = try directory.regularFileNames().filter { !$0.hasPrefix(".") }
      for name in names { add(name, [Layout.images], directory) }
      let known = Set(names)
      others = try directory.childNames().filter { !known.contains($0) }
    }
    var images: [Image] = []
    var missing: [String] = []
    for entry in ImageList(parsing: try string(Layout.list, in: tree) ?? "").entries {
      guard var image = found.removeValue(forKey: PackagePath(entry.path)) else {
        missing.append(entry.originalFilename)
        continue
      }
      (image.originalFilename, image.caption) = (entry.originalFilename, entry.caption)
      images.append(image)
    }
    // Images that another program added come last.
    return (images + order.compactMap { found[$0] }, missing, others)
  }
}
