package import FilePackages

extension InterchangeFormat {
  /// A text in Markdown that was read together with pictures.
  package struct LooseText {
    package var document: InterchangeDocument
    package var remarks: [InterchangeRemark]
    /// The names of the pictures that the document has now.
    package var used: [String]
  }

  /// Reads a text in Markdown with pictures from unknown folders, as a browser sends them.
  ///
  /// A picture belongs to the one path of the text that ends in its name. If several paths do, the picture is not used.
  ///
  /// - Parameters:
  ///   - text: the file of the text.
  ///   - name: its name.
  ///   - pictures: the files of the pictures by their names.
  /// - Throws: as `read(_:named:textName:)`.
  package static func readMarkdown(
    _ text: FileWrapper, named name: String, with pictures: [String: FileWrapper]
  ) throws -> LooseText {
    let (tree, used) = try markdown.during(.import, name) {
      let folder = FileWrapper(directoryWithFileWrappers: [:])
      try folder.setDescendant(text, at: name)
      var used: [String] = []
      for (picture, paths) in Self.paths(in: try text.text(name), to: pictures.keys.sorted())
      where paths.count == 1 {
        guard let path = paths.first, let file = pictures[picture], path != name else { continue }
        do {
          try folder.setDescendant(file, at: path)
          used.append(picture)
        } catch let error as FilePackageError where error.code == .invalidName || error.code == .wrongKind {
          // No package has a file at that path, so the text keeps its words.
        }
      }
      return (folder, used)
    }
    let (document, remarks) = try markdown.read(tree, named: name, textName: name)
    return LooseText(document: document, remarks: remarks, used: used.sorted())
  }

  /// The paths by which a text shows each of these names, without regard to case.
  private static func paths(in text: String, to names: [String]) -> [String: Set<String>] {
    let known = Dictionary(names.map { ($0.lowercased(), $0) }) { first, _ in first }
    var paths: [String: Set<String>] = [:]
    for reference in MarkdownReferences.of(text) where reference.kind != .link {
      for case .file(let path) in RelativePath.candidates(reference.destination) {
        guard let last = path.split(separator: "/").last, let name = known[last.lowercased()] else {
          continue
        }
        paths[name, default: []].insert(path)
        break
      }
    }
    return paths
  }
}
