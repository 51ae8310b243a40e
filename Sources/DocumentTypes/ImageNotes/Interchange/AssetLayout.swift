import FilePackages

/// The images and attachments of a document in the folder of another format, and the text that names them there.
struct AssetLayout {
  /// One file in its new place.
  struct Asset {
    /// The path in the package.
    var source: PackagePath
    /// The path in the tree of the format.
    var path: String
    var file: FileWrapper
    /// The image; nil for an attachment.
    var image: ImageNotes.Image?
    /// How often the text names it.
    var count = 0

    /// The path beneath the folder.
    var name: String { String(path.dropFirst(AssetLayout.folder.count + 1)) }
  }

  private(set) var assets: [Asset] = []
  private var paths = UniquePaths()
  /// The nodes of the package that are none of its parts, without those that the text names.
  private var others: [PackagePath: FileWrapper]
  /// The destinations of images that the text names and the document lacks, in order, each once.
  private var missing: [String] = []
  /// The destinations of images that lie outside of the document.
  private var outside: [String] = []
  private var absent: Set<String> = []
  /// The nodes of the package that are not written.
  private var leftOut: [InterchangeRemark] = []
  /// The text, which names the files by their new paths.
  private(set) var text = ""
  /// The index of each asset by the path in the package.
  private var indices: [PackagePath: Int] = [:]

  /// The folder for the files.
  static let folder = "assets"

  init(_ document: InterchangeDocument) throws {
    others = document.others
    for image in document.notes.images { add(image.place, image.name, try image.file(), image) }
    for (path, file) in document.attachments.sorted(by: { $0.key < $1.key }) {
      add(PackagePath("\(InterchangeDocument.attachmentsFolder)/\(path.string)"), path.string, file, nil)
    }
    text = rewritten(document.notes.text, in: document.paths)
    leftOut = document.unsupported.map {
      .leftOut($0.string, reason: "it is a FIFO, a socket or a device")
    }
    leftOut += others.sorted { $0.key < $1.key }.map { path, node in
      let reason =
        node.isRegularFile
        ? "the text neither shows nor links it"
        : node.isSymbolicLink ? "it is a symbolic link, which is not followed" : "it is an empty folder"
      return .leftOut(path.string, reason: reason)
    }
  }

  private mutating func add(
    _ path: PackagePath, _ wanted: String, _ file: FileWrapper, _ image: ImageNotes.Image?
  ) {
    indices[path] = assets.count
    assets.append(Asset(source: path, path: "\(Self.folder)/\(paths.add(wanted))", file: file, image: image))
  }

  /// Returns the index of the asset at a path of the package, nil if there is no file. Another file becomes an asset.
  private mutating func index(of path: String) -> Int? {
    let place = PackagePath(path)
    if let index = indices[place] { return index }
    guard let file = others[place], file.isRegularFile else { return nil }
    others[place] = nil
    add(place, path, file, nil)
    return assets.count - 1
  }

  /// Returns the asset that a reference of the document's own text names; nil if it names none.
  func asset(for reference: TextReference) -> Asset? {
    for case .file(let path) in RelativePath.candidates(reference.destination) {
      if let index = indices[PackagePath(path)] { return assets[index] }
    }
    return nil
  }

  /// - Parameter present: the paths in the package. A place of the text that shows one of them is not missing.
  private mutating func rewritten(_ text: String, in present: Set<PackagePath>) -> String {
    TextReference.rewrite(text, MarkdownReferences.of(text)) { reference in
      let destination = reference.destination
      var (isOutside, isPresent) = (false, false)
      for path in RelativePath.candidates(destination) {
        switch path {
        case .elsewhere: return nil
        case .outside: isOutside = true
        case .file(let path):
          guard let index = index(of: path) else {
            isPresent = isPresent || present.contains(PackagePath(path))
            continue
          }
          assets[index].count += reference.uses?.count ?? 1
          return RelativePath.respelled(destination, from: path, to: assets[index].path)
        }
      }
      if reference.kind.isShown, !isPresent, absent.insert(destination).inserted {
        if isOutside { outside.append(destination) } else { missing.append(destination) }
      }
      return nil
    }
  }

  /// The remarks on the children that are not written, and on the images that the text shows and the document lacks.
  var remarks: [InterchangeRemark] {
    leftOut + outside.map { .outside($0) } + missing.map { .missingImage($0) }
  }

  /// The images that the text does not name.
  var unnamedImages: [Asset] {
    assets.filter { $0.image != nil && $0.count == 0 }
  }

  /// The remark on images at the end of a written text.
  var remarksOnEnd: [InterchangeRemark] {
    let count = unnamedImages.count
    return count == 0 ? [] : [.imagesAtEnd(count)]
  }

  /// The lines in Markdown that show the unnamed images, with a blank line before them; empty if there are none.
  var endOfText: String {
    let unnamed = unnamedImages
    guard !unnamed.isEmpty else { return "" }
    let gap = text.isEmpty || text.hasSuffix("\n\n") ? "" : text.hasSuffix("\n") ? "\n" : "\n\n"
    let lines = unnamed.map { asset in
      "![\(Self.escaped(asset.image?.caption ?? ""))](\(RelativePath.encoded(asset.path)))\n"
    }
    return gap + lines.joined(separator: "\n")
  }

  /// A caption between brackets: on one line, with backslashes before characters that Markdown takes otherwise.
  static func escaped(_ caption: String) -> String {
    var result = ""
    for scalar in caption.unicodeScalars {
      if "\\[]`<!".unicodeScalars.contains(scalar) { result += "\\" }
      result.unicodeScalars.append(scalar.properties.isWhitespace ? " " : scalar)
    }
    return result
  }

  /// Returns a tree of the files.
  func tree() throws -> FileWrapper {
    let tree = FileWrapper(directoryWithFileWrappers: [:])
    for asset in assets { try tree.setDescendant(asset.file.newFile(), at: asset.path) }
    return tree
  }
}
