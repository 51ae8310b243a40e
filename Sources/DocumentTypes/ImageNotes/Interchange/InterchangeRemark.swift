import FilePackages

/// A difference between the original and the result of an import or export, or another fact for the user.
public enum InterchangeRemark: Sendable, Hashable {
  /// A part of an ImageNotes document that not every format holds.
  public enum Part: String, Sendable, Hashable, CaseIterable {
    /// The name that the user gave the document.
    case title
    /// Captions of images.
    case captions
    /// Names that images had when the user added them.
    case originalFilenames
    /// The order of the images.
    case order
    /// Keys of other programs in `info.json`.
    case otherKeys
    /// The identifier, the dates and the versions of the document.
    case identity
    /// Fonts, styles and destinations of links.
    case formatting
    /// Control characters in the text.
    case controlCharacters
  }

  /// The format does not hold that part of `count` images or files; the count is 1 for a part of the whole document.
  case notHeld(Part, count: Int)
  /// The result does not have the child at that path, for that reason.
  case leftOut(String, reason: String)
  /// The file has another name now.
  case renamed(String, to: String)
  /// The file is not an image that the document can show; it is an attachment.
  case attached(String, reason: String)
  /// The text shows an image outside the document, such as one on the web, which is not copied.
  case remoteImage(String)
  /// The text shows an image outside of the document's folder, which is not taken; the text keeps the words.
  case outside(String)
  /// A link names a file that is not there; the text keeps it.
  case danglingLink(String)
  /// The text names an image that is not there; the text keeps the words.
  case missingImage(String)
  /// The text does not name this number of images; the written text shows them at its end.
  case imagesAtEnd(Int)
  /// The text shows the image `count` times, and the written file holds its bytes as often.
  case repeated(String, count: Int)
}

extension InterchangeRemark: CustomStringConvertible {
  /// One clause for people.
  public var description: String {
    switch self {
    case .notHeld(let part, let count): "the format does not hold \(part.words(count))"
    case .leftOut(let path, let reason): "'\(displayString(path))' is left out: \(reason)"
    case .renamed(let old, let new): "'\(displayString(old))' is now '\(displayString(new))'"
    case .attached(let path, let reason): "'\(displayString(path))' is kept as an attachment: \(reason)"
    case .remoteImage(let place): "the image '\(displayString(place))' is elsewhere, and stays there"
    case .outside(let place):
      "the image '\(displayString(place))' lies outside of the folder; the text keeps its words"
    case .danglingLink(let place): "the link '\(displayString(place))' leads to no file"
    case .missingImage(let place): "the image '\(displayString(place))' is missing; the text keeps its words"
    case .imagesAtEnd(let count):
      count == 1
        ? "the text does not name 1 image: it is shown at the end"
        : "the text does not name \(count) images: they are shown at the end"
    case .repeated(let name, let count):
      "'\(displayString(name))' is shown \(count) times, and is in the file as often"
    }
  }
}

extension InterchangeRemark.Part {
  fileprivate func words(_ count: Int) -> String {
    switch self {
    case .title: "the document's title"
    case .captions: counted(count, "caption")
    case .originalFilenames: counted(count, "original filename")
    case .order: "the order of the images"
    case .otherKeys: "the keys of other programs"
    case .identity: "the identifier, the dates and the versions"
    case .controlCharacters: counted(count, "control character")
    case .formatting: "fonts, styles and destinations of links"
    }
  }
}

extension [InterchangeRemark] {
  /// One clause for each remark, and one for all parts that the format does not hold.
  public var lines: [String] {
    var parts: [String] = []
    var lines: [String] = []
    for remark in self {
      if case .notHeld(let part, let count) = remark {
        parts.append(part.words(count))
      } else {
        lines.append(remark.description)
      }
    }
    return parts.isEmpty ? lines : lines + ["the format does not hold: \(parts.joined(separator: "; "))"]
  }
}

extension InterchangeRemark {
  /// The path of the child that the result does not have; nil for other remarks.
  public var leftOutPath: String? {
    if case .leftOut(let path, _) = self { path } else { nil }
  }
}
