/// The reason why a document of text and images refuses an edit.
public enum ImageNotesError: Error, Sendable, Equatable {
  /// The contents of the file with that name are not an image of a known format.
  case notAnImage(String, ImageHeaderError)
  /// The document has no image with that name; `has` lists its images.
  case noSuchImage(String, has: [String])
  /// A save in another package needs the image, and the image's package is gone or cannot be read.
  case imageIsGone(String, reason: String)
}

extension ImageNotesError: CustomStringConvertible {
  /// One sentence that names the file or the image and the reason.
  public var description: String {
    switch self {
    case .notAnImage(let name, let error):
      let reason = error.description
      return "'\(name)' cannot be added: \(reason.prefix(1).lowercased())\(reason.dropFirst())"
    case .noSuchImage(let name, let names):
      let others = names.isEmpty ? "none" : names.map { "'\($0)'" }.joined(separator: ", ")
      return "The document has no image '\(name)'; it has \(others)."
    case .imageIsGone(let path, let reason):
      return "the image '\(path)' was not read before its package disappeared (\(reason)); "
        + "remove it to save the rest"
    }
  }
}
