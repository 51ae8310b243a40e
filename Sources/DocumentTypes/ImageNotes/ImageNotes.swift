public import Documents
import DurableIO

/// A document of text and any number of images in order.
///
/// On disk it is a package of ordinary files:
///
///     Trip.imageNotes/
///         Text.txt          the text, UTF-8
///         Images/           the images, under their own names
///         Images.txt        their order, original filenames and captions
///         Metadata.plist    the version and metadata of the package
///
/// A line of the text such as `![Peak](Images/7.png)` gives a picture its place in the text.
///
/// A document may also have the classic shape, with one image `Image.png` beside `Text.txt`. That image then stays at
/// its path. All other children stay as they are. `InterchangeDocument` reads those that other programs' formats added.
///
/// ```swift
/// let package = try await PackageStore.open(at: url)
/// var notes: ImageNotes = try await package.content()
/// notes.text += "The hut at last.\n"
/// try notes.add(imageAt: photo, caption: "Evening")
/// let report = try await package.save(notes)
/// ```
public struct ImageNotes: DocumentContent {
  /// `[.imageNotes]`.
  public static var readableContentTypes: [UTType] { [.imageNotes] }

  /// True: the metadata hold the title.
  public static var seesMetadata: Bool { true }

  /// The text.
  public var text: String
  /// The images, in order.
  public internal(set) var images: [Image]
  /// The original filenames of images whose files another program removed. The next save forgets them.
  public internal(set) var missingImages: [String] = []
  /// The names in `Images` that an image cannot have, since a folder, a link or a hidden file has them.
  var otherNames: [String] = []
  /// The name that the user gave the document, instead of the first line of its text; nil for none.
  public var customName: String?

  /// Makes an empty document.
  public init(text: String = "") {
    self.text = text
    images = []
  }

  /// The text's bytes, and 64 for each image, since values share their images.
  public var undoCost: Int { text.utf8.count + 64 * images.count }

  /// Whether a line without blanks around it does nothing but name a picture: `![Peak](Images/7.png)`.
  package static func namesPicture(_ line: String) -> Bool {
    guard line.utf8.starts(with: "![".utf8), line.utf8.count <= longestPictureLine else { return false }
    let references = MarkdownReferences.of(line)
    return references.count == 1 && references[0].kind == .image
      && references[0].whole == 0..<line.utf8.count
  }

  private static let longestPictureLine = 3000

  /// The document's name for people: its custom name, or the first line of its text that has words, or `Untitled`.
  ///
  /// A line that names a picture has none. A line is cut to 80 characters.
  public var displayName: String {
    if let customName, !customName.isEmpty { return customName }
    // Only the lines up to the first one that is not blank are looked at.
    var rest = text[...]
    var line = ""
    while line.isEmpty, !rest.isEmpty {
      let end = rest.firstIndex(where: \.isNewline) ?? rest.endIndex
      line = rest[..<end].trimmed()
      if Self.namesPicture(line) { line = "" }
      rest = rest[end...].dropFirst()
    }
    if line.isEmpty { return "Untitled" }
    return line.count <= 80 ? line : line.prefix(79).trimmed() + "…"
  }
}
