import Documents

/// A document's name in addresses: it leads to no file, only to a document of the library.
///
/// It is a digest of the document's place. So an address stays good when the server starts again.
struct DocumentID: Hashable, Sendable {
  /// 22 characters of an address.
  let word: String

  /// The identifier of the document with a path in a place of the library.
  init(_ place: DocumentLibrary.Place, _ path: String) {
    word = ServerKey.digest("\(place.rawValue)\0\(path)", bytes: 16)
  }

  /// Reads an identifier in an address; nil if it is none.
  init?(_ word: String) {
    guard word.utf8.count == 22 else { return nil }
    self.word = word
  }
}
