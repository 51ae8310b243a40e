import FilePackages
import Foundation
import ImageNotes

/// The facts of a document's images, each read once.
///
/// An image is known by its file wrapper. So a picture that another one replaces gets another address, and a page never
/// shows an old one.
struct ImageFacts {
  private struct Fact {
    /// Held, so that no other wrapper gets its identity.
    let file: FileWrapper
    let width: Int
    let height: Int
    let format: String
    let size: UInt64
    let tag: String
  }

  private var known: [ObjectIdentifier: Fact] = [:]

  /// Describes the images of a document, and forgets every other image.
  ///
  /// - Parameter address: the address of the images, without a slash at its end.
  mutating func shown(_ images: [ImageNotes.Image], below address: String) -> [PageImage] {
    var still: [ObjectIdentifier: Fact] = [:]
    let shown = images.map { image in
      var shown = PageImage(
        key: Self.key(of: image.name), name: image.name, path: image.path, caption: image.caption, width: 0,
        height: 0, format: "", size: 0, url: "")
      // An image that cannot be read has no size, and the request for it tells why.
      guard let file = try? image.file() else { return shown }
      let fact = known[ObjectIdentifier(file)] ?? Self.fact(of: file)
      still[ObjectIdentifier(file)] = fact
      (shown.width, shown.height, shown.format) = (fact.width, fact.height, fact.format)
      (shown.size, shown.url) = (fact.size, "\(address)/\(shown.key)?v=\(fact.tag)")
      return shown
    }
    known = still
    return shown
  }

  /// The name of an image in addresses: it leads to no file, only to an image of that name in the document.
  static func key(of name: String) -> String {
    ServerKey.digest(name, bytes: 8)
  }

  private static func fact(of file: FileWrapper) -> Fact {
    let header = try? ImageHeader(of: file)
    let size = file.regularFileSize ?? 0
    let date = file.fileAttributes[FileAttributeKey.modificationDate.rawValue] as? Date
    let tag =
      if let date { "\(size)-\(Int64(date.timeIntervalSince1970 * 1_000_000))" } else { UUID().uuidString }
    return Fact(
      file: file, width: header?.displayWidth ?? 0, height: header?.displayHeight ?? 0,
      format: header.map { "\($0.format)" } ?? "", size: size, tag: tag)
  }
}
