import Documents
import DurableIO
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
  package internal(set) var attachments: [PackagePath: FileWrapper] = [:]
  /// The keys of a TextBundle; nil if the document never was one.
  var info: TextBundleInfo?
  /// The nodes of the package that are none of its parts, by path: files, links and empty folders.
  private(set) var others: [PackagePath: FileWrapper] = [:]
  /// The paths of the FIFOs, sockets and devices in the package.
  private(set) var unsupported: [PackagePath] = []
  /// The paths of all nodes of the package.
  private(set) var paths: Set<PackagePath> = []

  /// Makes a document without attachments.
  public init(_ notes: ImageNotes = ImageNotes()) {
    self.notes = notes
  }

  /// Reads the tree of an ImageNotes package; images and attachments stay in the tree.
  ///
  /// - Throws: as `ImageNotes.init(configuration:)`; `invalidContent` if `info.json` is not a JSON object.
  public init(package tree: FileWrapper) throws {
    notes = try ImageNotes(configuration: .init(contentType: .imageNotes, file: tree))
    try take(tree, at: .root, files: files)
    guard let file = try tree.child(named: TextBundleInfo.filename), file.isRegularFile else { return }
    do {
      info = try TextBundleInfo(file)
    } catch let problem as InterchangeProblem {
      throw FilePackageError(
        .invalidContent, .open, document: tree.filename ?? "", child: TextBundleInfo.filename,
        reason: problem.reason)
    }
  }

  /// The files that the document consists of.
  private var files: Set<PackagePath> {
    Set(
      [Layout.text, Layout.list, TextBundleInfo.filename].map { PackagePath($0) } + notes.images.map(\.place))
  }

  /// Whether a node is a part of the document. Another program may give such a name to a node of another kind.
  private static func isPart(_ node: FileWrapper, at path: PackagePath, of files: Set<PackagePath>) throws
    -> Bool
  {
    if node.isDirectory { return [Layout.images, attachmentsFolder].contains(path.string) }
    guard node.isRegularFile, path.string == Layout.metadata else {
      return node.isRegularFile && files.contains(path)
    }
    let bytes = try node.contents()
    do {
      _ = try PackageMetadata(decoding: bytes)
      return true
    } catch {
      return false
    }
  }

  /// Takes each node beneath a folder: as an attachment, or as one of the others.
  private mutating func take(_ folder: FileWrapper, at place: PackagePath, files: Set<PackagePath>) throws {
    unsupported += try folder.unsupportedNames().map { place.appending($0) }
    // The hidden folder is the library's: a tree of the plain directory has it.
    for name in try folder.childNames() where !place.isRoot || name != PackageLayout.hidden.string {
      guard let child = try folder.child(named: name) else { continue }
      let path = place.appending(FileName(name))
      paths.insert(path)
      let attachment = path.names.first?.string == Self.attachmentsFolder ? path.names.dropFirst() : []
      if child.isDirectory, try child.childCount() > 0 || !child.unsupportedNames().isEmpty {
        try take(child, at: path, files: files)
      } else if try Self.isPart(child, at: path, of: files) {
        continue
      } else if child.isRegularFile, !attachment.isEmpty {
        attachments[PackagePath(Array(attachment))] = child
      } else {
        others[path] = child
      }
    }
  }

  /// Returns a new tree for an ImageNotes package.
  public func packageTree() throws -> FileWrapper {
    let tree = try notes.fileWrapper(configuration: .init(contentType: .imageNotes, existingFile: nil))
    for (path, file) in attachments.sorted(by: { $0.key < $1.key }) {
      try tree.setDescendant(file.newFile(), at: "\(Self.attachmentsFolder)/\(path.string)")
    }
    if let info {
      tree.addRegularFile(withContents: try info.data, preferredFilename: TextBundleInfo.filename)
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
  ///   deep or empty, FIFOs, sockets and devices.
  func forEachFile(
    _ body: (_ path: String, _ file: FileWrapper) throws -> Void,
    other: (_ path: String, _ reason: String) throws -> Void
  ) throws {
    try forEachFile(beneath: "", 0, body, other)
  }

  private func forEachFile(
    beneath folder: String, _ depth: Int, _ body: (String, FileWrapper) throws -> Void,
    _ other: (String, String) throws -> Void
  ) throws {
    for name in try unsupportedNames() {
      try other(folder + name.string, "it is a FIFO, a socket or a device")
    }
    for name in try childNames() {
      guard let child = try child(named: name) else { continue }
      let path = folder + name
      if name.hasPrefix(".") {
        try other(path, "its name is hidden")
      } else if child.isRegularFile {
        try body(path, child)
      } else if child.isSymbolicLink {
        try other(path, "it is a symbolic link, which is not followed")
      } else if depth == Self.maximumDepth {
        try other(path, "it is in more than \(Self.maximumDepth) folders")
      } else if try child.childCount() == 0, try child.unsupportedNames().isEmpty {
        try other(path, "it is an empty folder")
      } else {
        try child.forEachFile(beneath: path + "/", depth + 1, body, other)
      }
    }
  }
}
