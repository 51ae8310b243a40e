import FilePackages

/// Reads the text and the attachments of an RTFD package.
struct RTFDReader {
  private static let textName = "TXT.rtf"
  private static let maximumSize: UInt64 = 64 << 20

  private let tree: FileWrapper

  init(_ file: FileWrapper) throws {
    guard file.isDirectory else {
      throw InterchangeProblem(.notOfFormat, "it is a file, and an RTFD is a folder")
    }
    tree = file
  }

  func read() throws -> (document: InterchangeDocument, remarks: [InterchangeRemark]) {
    guard let file = try tree.child(named: Self.textName), file.isRegularFile else {
      throw InterchangeProblem(.missingPart, "it has no file '\(Self.textName)'")
    }
    var intake = AssetIntake(tree, assetsFolder: nil)
    var text = ""
    do {
      let bytes = [UInt8](try file.contents(atMost: Self.maximumSize, Self.textName))
      for piece in try RTFText.pieces(of: bytes) {
        switch piece {
        case .text(let string): text += text.escaping(string)
        case .attachment(let name):
          if let reference = try reference(to: name, &intake) {
            text.append(reference: reference)
          } else {
            text += text.escaping(name)
          }
        }
      }
    } catch var problem as InterchangeProblem {
      problem.file = Self.textName
      throw problem
    }
    try intake.takeUnnamed(in: tree, besides: Self.textName)
    intake.set(text: text)
    intake.remark(.notHeld(.formatting, count: 1))
    return (intake.document, intake.remarks)
  }

  /// Takes an attachment, and returns the reference that stands for it in the text; nil if there is no such file.
  private func reference(to name: String, _ intake: inout AssetIntake) throws -> String? {
    guard !name.contains("/"), name != "..", name != ".", !name.utf8.contains(0) else {
      intake.remark(.outside(name))
      return nil
    }
    guard let place = try intake.take(fileAt: name) else {
      intake.remark(.missingImage(name))
      return nil
    }
    let isImage = place.hasPrefix(Layout.images + "/")
    return isImage
      ? "![](\(RelativePath.encoded(place)))"
      : "[\(AssetLayout.escaped(name))](\(RelativePath.encoded(place)))"
  }
}
