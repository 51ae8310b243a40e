package import DurableIO
package import SystemPackage

extension Disk {
  /// Makes the missing directories of a path, each durably before the next one.
  package func makeFolders(at path: FilePath, mode: UInt16 = 0o777) throws(SystemError) {
    do {
      _ = try openDirectory(at: path.isEmpty ? "." : path)
    } catch  where error.code == .noSuchFileOrDirectory {
      guard let name = path.lastComponent.map(FileName.init) else { throw error }
      try makeFolders(at: path.removingLastComponent(), mode: mode)
      let parent = try openDirectory(at: path.folder)
      do {
        try makeDirectory(name, in: parent, mode: mode)
      } catch  where error.code == .fileExists {
        return
      }
      try synchronize(parent)
    }
  }
}

extension FilePath {
  /// The directory of the last component.
  package var folder: FilePath {
    let folder = removingLastComponent()
    return folder.isEmpty ? "." : folder
  }
}
