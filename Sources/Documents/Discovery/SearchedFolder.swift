import DurableIO
import FilePackages

/// One folder that a query searches, with what is known to be in it. Belongs to its query's run.
final class SearchedFolder {
  let name: FileName
  /// Nil for a folder that the search names.
  private(set) weak var parent: SearchedFolder?
  let path: FolderPath
  let depth: Int
  /// Which directory it is; nil while it is not there, or was not looked at yet.
  var node: DocumentNode?
  var entries: [FileName: Entry] = [:]
  /// Nil where the system cannot tell of it.
  var watch: Int32?
  /// Why it cannot be searched.
  var problem: FilePackageError?

  /// Where something happened, and whether something was written in the package of that name.
  var dirty: [FileName: Bool] = [:]
  /// Whether everything in it is to be looked at.
  var isDirty = false
  /// Whether it is among those that are looked at next.
  var isQueued = false
  /// Whether some package in it is not watched.
  var hasUnwatched = false
  /// Whether it is a package by what is in it, of a type that nobody looks for.
  var isPackage = false
  /// Whether it is in no folder any more.
  var isDetached = false

  /// What a name in a folder stands for.
  enum Entry {
    case folder(SearchedFolder)
    case document(Record)
  }

  /// A document, by its place in the report.
  struct Record {
    var slot: Int32
    var watch: Int32?
  }

  init(scope path: FolderPath) {
    (name, self.path, depth) = (FileName(bytes: []), path, 0)
  }

  init(_ name: FileName, in parent: SearchedFolder) {
    (self.name, self.parent, depth) = (name, parent, parent.depth + 1)
    path = FolderPath(parent.path.appending(name))
  }

  var isScope: Bool { depth == 0 }

  /// The folder that the search names, and the names that lead from there to this one.
  var route: (scope: SearchedFolder, names: [FileName]) {
    var names: [FileName] = []
    var folder = self
    while let parent = folder.parent {
      names.append(folder.name)
      folder = parent
    }
    return (folder, names.reversed())
  }

  /// The packages in it that nobody tells of.
  var unwatched: [FileName] {
    entries.compactMap { name, entry in
      if case .document(let record) = entry, record.watch == nil { name } else { nil }
    }
  }

  /// Calls `body` with this folder and all beneath it.
  func forEachFolder(_ body: (SearchedFolder) -> Void) {
    body(self)
    for case .folder(let child) in entries.values { child.forEachFolder(body) }
  }
}
