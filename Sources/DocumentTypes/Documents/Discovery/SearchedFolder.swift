import DurableIO
import FilePackages

/// One folder that a query searches, with its known entries; only the query's run uses it.
final class SearchedFolder {
  let name: FileName
  /// The folder around it; nil for a folder that the search names.
  private(set) weak var parent: SearchedFolder?
  let path: FolderPath
  let depth: Int
  /// The directory's node; nil while the folder is missing or unread.
  var node: DocumentNode?
  var entries: [FileName: Entry] = [:]
  /// The folder's watch; nil if the kernel does not watch it.
  var watch: Int32?
  /// The reason why the folder cannot be searched.
  var problem: FilePackageError?

  /// The names with events, and whether a program wrote in the package of that name.
  var dirty: [FileName: Bool] = [:]
  /// Whether the next look covers every name in the folder.
  var isDirty = false
  /// Whether the folder waits for the next look.
  var isQueued = false
  /// Whether some package in the folder has no watch.
  var hasUnwatched = false
  /// Whether its children make the folder a package, of a type that the search does not want.
  var isPackage = false
  /// Whether the folder has left the searched folders.
  var isDetached = false

  /// The meaning of a name in a folder.
  enum Entry {
    case folder(SearchedFolder)
    /// A document, whose attributes the report has; a watched package with its watch.
    case document(watch: Int32?)
  }

  init(scope path: FolderPath) {
    (name, self.path, depth) = (FileName(bytes: []), path, 0)
  }

  init(_ name: FileName, in parent: SearchedFolder) {
    (self.name, self.parent, depth) = (name, parent, parent.depth + 1)
    path = FolderPath(parent.path.appending(name))
  }

  var isScope: Bool { depth == 0 }

  /// The folder that the search names, and the names from there to this one.
  var route: (scope: SearchedFolder, names: [FileName]) {
    var names: [FileName] = []
    var folder = self
    while let parent = folder.parent {
      names.append(folder.name)
      folder = parent
    }
    return (folder, names.reversed())
  }

  /// The packages in the folder that have no watch.
  var unwatched: [FileName] {
    entries.compactMap { name, entry in
      if case .document(nil) = entry { name } else { nil }
    }
  }

  /// Calls `body` with this folder and all below it.
  func forEachFolder(_ body: (SearchedFolder) -> Void) {
    body(self)
    for case .folder(let child) in entries.values { child.forEachFolder(body) }
  }
}
