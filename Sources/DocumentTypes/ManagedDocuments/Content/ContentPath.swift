import DurableIO
import FilePackages
import GRDB

/// The place of one file of the additional content, as its row has it.
struct ContentPath: Sendable, Hashable {
  let path: PackagePath
  var string: String { path.string }
  /// The path in the package.
  var visible: PackagePath { path.inContentFolder }
  /// The folders above, without `AdditionalContent`.
  var folders: [PackagePath] { path.folders }

  /// Checks a path of the caller; nil if no file can have it.
  init?(_ string: String) {
    path = PackagePath(string)
    let isValid =
      !path.isRoot && path.names.count < PackagePath.maximumDepth
      && path.names.allSatisfy { $0.problem == nil }
    if !isValid { return nil }
  }

  /// Makes the path of a row, which was checked when it was written.
  init(stored string: String) { path = PackagePath(string) }

  /// Returns a file or folder whose name is in the way of this file; nil if there is none.
  func obstacle(in db: Database) throws -> String? {
    var folder = path.parent
    while !folder.isRoot {
      if try exists(folder.string, in: db) { return folder.string }
      folder = folder.parent
    }
    // All paths below a folder sort between 'folder/' and 'folder0'.
    return try String.fetchOne(
      db.cachedStatement(sql: "SELECT path FROM grdb_content WHERE path > ? AND path < ? LIMIT 1"),
      arguments: [string + "/", string + "0"])
  }

  private func exists(_ path: String, in db: Database) throws -> Bool {
    try Int.fetchOne(
      db.cachedStatement(sql: "SELECT 1 FROM grdb_content WHERE path = ?"), arguments: [path]) != nil
  }
}

extension PackagePath {
  /// The path in the package, of one below `AdditionalContent`.
  var inContentFolder: PackagePath { PackagePath([ContentObjects.contentFolder] + names) }
}
