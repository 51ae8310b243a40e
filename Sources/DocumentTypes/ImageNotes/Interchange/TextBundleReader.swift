import FilePackages

/// Reads a TextBundle, version 1 or 2.
struct TextBundleReader {
  private let tree: FileWrapper

  init(_ file: FileWrapper) throws {
    guard file.isDirectory else {
      throw InterchangeProblem(.notOfFormat, "it is a file, and a TextBundle is a folder")
    }
    tree = file
  }

  func read() throws -> (document: InterchangeDocument, remarks: [InterchangeRemark]) {
    guard let file = try tree.child(named: TextBundleInfo.filename), file.isRegularFile else {
      let bundles = try tree.childNames().filter { InterchangeFormat(filename: $0) == .textBundle }
      throw InterchangeProblem(
        .missingPart,
        bundles.count < 2
          ? "it has no file '\(TextBundleInfo.filename)'"
          : "it has \(bundles.count) TextBundles (\(bundles.firstNames)): unpack it, and import each"
      )
    }
    var info = try TextBundleInfo(file)
    let own = info.own
    let textName = try self.textName(info)
    var text = try tree.regularFile(at: textName).text(textName)
    if let appended = own?.appended, text.hasSuffix(bytes: appended) {
      text = String(decoding: Array(text.utf8).dropLast(appended.utf8.count), as: UTF8.self)
    }
    var intake = AssetIntake(tree, assetsFolder: AssetLayout.folder)
    try intake.take(text, from: textName) { $0 != textName && $0 != TextBundleInfo.filename }
    var parts: Set = [TextBundleInfo.filename, textName]
    if let assets = try tree.child(named: AssetLayout.folder), assets.isDirectory {
      try intake.takeUnnamed(in: assets, at: AssetLayout.folder + "/")
      parts.insert(AssetLayout.folder)
    }
    for name in try tree.childNames()
    where !parts.contains(name)
      && intake.places[PackagePath(name)] == nil
    {
      intake.remark(.leftOut(name, reason: "it is no part of a TextBundle"))
    }
    if let images = own?.images { intake.arrange(images) }
    // The keys that this document's own parts now hold would be old after an edit.
    info.own = nil
    if textName != Self.defaultTextName {
      info.own = TextBundleInfo.Own()
      info.own?.text = textName
    }
    intake.set(title: own?.title, info: info == TextBundleInfo() ? nil : info)
    return (intake.document, intake.remarks)
  }

  // MARK: The text's name

  static let defaultTextName = "text.md"

  /// Whether a TextBundle's text may have that name.
  static func isTextName(_ name: String) -> Bool {
    name.lowercased().hasPrefix("text.") && name.utf8.count > 5 && name.utf8.count <= 255
      && !name.contains("/")
      && !name.utf8.contains(0)
  }

  private func textName(_ info: TextBundleInfo) throws -> String {
    let names = try tree.regularFileNames().filter(Self.isTextName)
    if names.count <= 1 {
      if let name = names.first { return name }
      throw InterchangeProblem(.missingPart, "it has no file 'text.*'")
    }
    // The type decides between several.
    let expected = Self.extensions[info.type ?? "net.daringfireball.markdown"] ?? []
    let fitting = names.filter { expected.contains(FreeName.split($0).pathExtension.lowercased()) }
    guard fitting.count == 1 else {
      throw InterchangeProblem(.notOfFormat, "it has several texts (\(names.firstNames))")
    }
    return fitting[0]
  }

  private static let extensions: [String: [String]] = [
    "net.daringfireball.markdown": ["md", "markdown", "mdown", "mkd"], "public.plain-text": ["txt"],
    "public.html": ["html", "htm"], "com.quoteunquoteapps.fountain": ["fountain"],
  ]
}

extension String {
  /// Whether the text ends with these bytes.
  fileprivate func hasSuffix(bytes: String) -> Bool {
    utf8.suffix(bytes.utf8.count).elementsEqual(bytes.utf8)
  }
}
