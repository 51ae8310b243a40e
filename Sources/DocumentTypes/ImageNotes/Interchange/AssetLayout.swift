import FilePackages

/// The images and attachments of a document in the folder of another format, and the text that names them there.
struct AssetLayout {
  /// One file in its new place.
  struct Asset {
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
  /// The destinations of images that the text names and the document lacks.
  private var missing: [String] = []
  /// The text, which names the files by their new paths.
  private(set) var text = ""
  /// The index of each asset by the path in the package.
  private var indices: [String: Int] = [:]

  /// The folder for the files.
  static let folder = "assets"

  init(_ document: InterchangeDocument) throws {
    var paths = UniquePaths()
    func add(_ path: String, _ name: String, _ file: FileWrapper, _ image: ImageNotes.Image?) {
      let name = paths.add(name)
      indices[path] = assets.count
      assets.append(Asset(path: "\(Self.folder)/\(name)", file: file, image: image))
    }
    for image in document.notes.images { add(image.path, image.name, try image.file(), image) }
    for (path, file) in document.attachments.sorted(by: { $0.key < $1.key }) {
      add("\(InterchangeDocument.attachmentsFolder)/\(path)", path, file, nil)
    }
    text = try rewritten(document.notes.text)
  }

  /// Returns the asset that a reference of the document's own text names; nil if it names none.
  func asset(for reference: TextReference) -> Asset? {
    for case .file(let path) in RelativePath.candidates(reference.destination) {
      if let index = indices[path] { return assets[index] }
    }
    return nil
  }

  private mutating func rewritten(_ text: String) throws -> String {
    try TextReference.rewrite(text, MarkdownReferences.of(text)) { reference in
      let destination = reference.destination
      var isOutside = false
      for path in RelativePath.candidates(destination) {
        switch path {
        case .elsewhere: return nil
        case .outside: isOutside = true
        case .file(let path):
          guard let index = indices[path] else { continue }
          assets[index].count += reference.uses?.count ?? 1
          return RelativePath.respelled(destination, from: path, to: assets[index].path)
        }
      }
      guard reference.kind == .image else { return nil }
      guard isOutside else {
        if !missing.contains(destination) { missing.append(destination) }
        return nil
      }
      let line = text.utf8.prefix(reference.range.lowerBound).count { $0 == UInt8(ascii: "\n") } + 1
      throw InterchangeProblem(
        .outside, file: Layout.text, line: line,
        "the text shows '\(displayString(destination))', which lies outside it")
    }
  }

  /// The remarks on the text that shows the images.
  var remarks: [InterchangeRemark] {
    let count = unnamedImages.count
    return missing.map { .missingImage($0) } + (count == 0 ? [] : [.imagesAtEnd(count)])
  }

  /// The images that the text does not name.
  var unnamedImages: [Asset] {
    assets.filter { $0.image != nil && $0.count == 0 }
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
