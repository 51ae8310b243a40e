import Documents
public import FilePackages
import FoundationEssentials

/// An ImageNotes document, with the parts that other programs' formats add to it.
///
/// In a package they are two children that `ImageNotes` leaves alone: the folder `Attachments`, and `info.json` with the
/// keys of other programs. The text names an image by its path in the package, such as `![](Images/7.png)`. It names an
/// attachment by `Attachments/…`.
public struct InterchangeDocument: Sendable {
  static let attachmentsFolder = "Attachments"

  /// The text, the images and the title.
  public var notes: ImageNotes
  /// The attachments: files other than images, by their path in the folder `Attachments`.
  public internal(set) var attachments: [String: FileWrapper] = [:]
  /// The keys of a TextBundle; nil if the document never was one.
  var info: TextBundleInfo?

  /// Makes a document without attachments.
  public init(_ notes: ImageNotes = ImageNotes()) {
    self.notes = notes
  }

  /// Reads the tree of an ImageNotes package; images and attachments stay in the tree.
  ///
  /// - Throws: as `ImageNotes.init(configuration:)`; `invalidContent` if `info.json` is not a JSON object.
  public init(package tree: FileWrapper) throws {
    notes = try ImageNotes(configuration: .init(contentType: .imageNotes, file: tree))
    if let folder = try tree.child(named: Self.attachmentsFolder), folder.isDirectory {
      try folder.forEachFile { path, file in attachments[path] = file }
    }
    guard let file = try tree.child(named: TextBundleInfo.filename), file.isRegularFile else { return }
    do {
      info = try TextBundleInfo(file)
    } catch let problem as InterchangeProblem {
      throw FilePackageError(
        .invalidContent, .open, document: tree.filename ?? "", child: TextBundleInfo.filename,
        reason: problem.reason)
    }
  }

  /// Returns a new tree for an ImageNotes package.
  public func packageTree() throws -> FileWrapper {
    let tree = try notes.fileWrapper(configuration: .init(contentType: .imageNotes, existingFile: nil))
    for (path, file) in attachments.sorted(by: { $0.key < $1.key }) {
      try tree.setDescendant(file.newFile(), at: "\(Self.attachmentsFolder)/\(path)")
    }
    if let info {
      tree.addRegularFile(withContents: info.data, preferredFilename: TextBundleInfo.filename)
    }
    return tree
  }
}

extension FileWrapper {
  /// The most folders within each other that an import follows.
  private static let maximumDepth = 64

  /// Calls `body` with each regular file at any depth, in the order of their paths.
  ///
  /// - Parameter other: receives the other nodes and the reason why they do not count: hidden ones, links, folders too
  ///   deep. Without it, hidden files count.
  func forEachFile(
    _ body: (_ path: String, _ file: FileWrapper) throws -> Void,
    other: ((_ path: String, _ reason: String) throws -> Void)? = nil
  ) throws {
    try forEachFile(beneath: "", 0, body, other)
  }

  private func forEachFile(
    beneath folder: String, _ depth: Int, _ body: (String, FileWrapper) throws -> Void,
    _ other: ((String, String) throws -> Void)?
  ) throws {
    for name in try childNames() {
      guard let child = try child(named: name) else { continue }
      let path = folder + name
      if let other, name.hasPrefix(".") {
        try other(path, "its name is hidden")
      } else if child.isRegularFile {
        try body(path, child)
      } else if child.isSymbolicLink {
        try other?(path, "it is a symbolic link, which is not followed")
      } else if depth == Self.maximumDepth {
        try other?(path, "it is in more than \(Self.maximumDepth) folders")
      } else {
        try child.forEachFile(beneath: path + "/", depth + 1, body, other)
      }
    }
  }
}
