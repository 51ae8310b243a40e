import FilePackages
import FoundationEssentials

/// Writes a TextBundle: version 2, or the version and the keys that the document was read with.
struct TextBundleWriter {
  private let document: InterchangeDocument
  private let layout: AssetLayout
  private var info: TextBundleInfo

  init(_ document: InterchangeDocument) throws {
    self.document = document
    layout = try AssetLayout(document)
    info = document.info ?? TextBundleInfo()
  }

  func write() throws -> (file: FileWrapper, remarks: [InterchangeRemark]) {
    var info = info
    let textName = info.own?.text.flatMap { TextBundleReader.isTextName($0) ? $0 : nil }
    info.own = nil
    var tree = try tree(info, textName)
    // Our own keys are there only if another program's reader would not find the same document without them.
    if try !InterchangeComparison(document, TextBundleReader(tree).read().document).isSame {
      info.own = own
      tree = try self.tree(info, textName)
    }
    let back = try TextBundleReader(tree).read().document
    let losses = InterchangeComparison(document, back).losses
    return (tree, layout.remarks + layout.remarksOnEnd + losses + [.notHeld(.identity, count: 1)])
  }

  private func tree(_ info: TextBundleInfo, _ textName: String?) throws -> FileWrapper {
    let tree = try layout.tree()
    tree.addRegularFile(withContents: try info.data, preferredFilename: TextBundleInfo.filename)
    tree.addRegularFile(
      withContents: PlainText.encoded(layout.text + layout.endOfText),
      preferredFilename: textName ?? TextBundleReader.defaultTextName)
    return tree
  }

  private var own: TextBundleInfo.Own {
    var own = TextBundleInfo.Own()
    own.title = document.notes.customName
    let end = layout.endOfText
    own.appended = end.isEmpty ? nil : end
    own.images = layout.assets.compactMap { asset in
      asset.image.map {
        TextBundleInfo.Own.Image(
          file: asset.path,
          filename: asset.path.hasSuffix("/" + $0.originalFilename) ? nil : $0.originalFilename,
          caption: $0.caption.isEmpty ? nil : $0.caption)
      }
    }
    return own
  }
}
