/// Why a document of text and images cannot be edited in some way.
public enum ImageNotesError: Error, Sendable, Equatable {
  /// The file of that name is no image of a known format, whatever its name says.
  case notAnImage(String, ImageHeaderError)
  /// The document has no image of that name; it has the others.
  case noSuchImage(String, has: [String])
  /// The image is to be saved in another package, and the one that had it is gone, or cannot be read.
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
      return "the image '\(path)' was not read before its package went (\(reason)); "
        + "without it the rest can be saved"
    }
  }
}
