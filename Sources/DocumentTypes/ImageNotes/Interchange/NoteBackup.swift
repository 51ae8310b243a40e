public import FilePackages

/// A backup of many notes: a folder with TextBundles, as Bear makes it in a zip (`bear2bk`, earlier `bearbk`).
public struct NoteBackup: Sendable {
  /// A note of a backup.
  public struct Note: Sendable {
    /// The path of the TextBundle in the backup.
    public let path: String
    /// A name for the document, without an extension. Every note of the backup has another name, even without regard to
    /// case.
    public let name: String
    /// The TextBundle.
    public let bundle: FileWrapper
  }

  /// The notes, in the order of their paths.
  public private(set) var notes: [Note] = []
  /// The paths of files that belong to no note.
  public private(set) var others: [String] = []
  private var names = UniquePaths()

  /// Finds the TextBundles in a tree, at any depth.
  ///
  /// - Throws: the system's reason if a folder cannot be read.
  public init(_ tree: FileWrapper) throws {
    try look(in: tree, "", depth: 0)
  }

  /// Returns whether a filename has the extension of a backup.
  public static func isBackup(filename: String) -> Bool {
    ["bear2bk", "bearbk"].contains(FreeName.split(filename).pathExtension.lowercased())
  }

  private mutating func look(in folder: FileWrapper, _ prefix: String, depth: Int) throws {
    for name in try folder.childNames() {
      guard let child = try folder.child(named: name) else { continue }
      let path = prefix + name
      let (base, pathExtension) = FreeName.split(name)
      if child.isDirectory, pathExtension.lowercased() == "textbundle" {
        notes.append(Note(path: path, name: names.add(Self.documentName(base)), bundle: child))
      } else if child.isDirectory, depth < PackagePath.maximumDepth {
        try look(in: child, path + "/", depth: depth + 1)
      } else {
        others.append(path)
      }
    }
  }

  /// Returns the name of a document for a note of this name, with room for a number and an extension.
  private static func documentName(_ name: String) -> String {
    // A list of documents does not show a hidden one.
    var name = String(name.drop { $0 == "." })
    while name.utf8.count > 230 { name.removeLast() }
    return name.isEmpty ? "Note" : name
  }
}
