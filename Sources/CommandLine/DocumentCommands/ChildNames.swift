import CommandSupport
import FilePackages

/// Runs `body` with a child. If the child does not exist, the error suggests a name that the user may have meant.
func suggesting<Result>(_ child: String, in tree: FileWrapper, _ body: () throws -> Result) throws -> Result {
  do {
    return try body()
  } catch let error as FilePackageError where error.code == .noSuchFile {
    guard let meant = try tree.nearestPath(to: child) else { throw error }
    throw InputError(description: "\(errorMessage(of: error)) Did you mean '\(display(meant))'?")
  }
}

extension FileWrapper {
  /// Returns the path of a child that a mistyped path may mean.
  ///
  /// It has a similar name, or one with an extension, in the first folder that lacks the given name. Or it has the same
  /// last name in another folder.
  fileprivate func nearestPath(to path: String) throws -> String? {
    let names = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    var (folder, place) = (self, [String]())
    for (position, name) in names.enumerated() {
      if let next = try folder.child(named: name) {
        guard next.isDirectory else { break }
        (folder, place) = (next, place + [name])
        continue
      }
      let known = try folder.childNames()
      let stem = name.lowercased() + "."
      if let near = nearest(to: name, among: known) ?? known.first(where: { $0.lowercased().hasPrefix(stem) })
      {
        let meant = (place + [near] + names[(position + 1)...]).joined(separator: "/")
        if try descendant(at: meant) != nil { return meant }
      }
      break
    }
    return try names.last.flatMap { try self.path(ofChild: $0) }
  }

  /// Returns the path of the first child with this name, in the folders in order of their names.
  private func path(ofChild name: String) throws -> String? {
    if try child(named: name) != nil { return name }
    for folder in try childNames().sorted() {
      if let child = try child(named: folder), child.isDirectory, let path = try child.path(ofChild: name) {
        return "\(folder)/\(path)"
      }
    }
    return nil
  }
}
