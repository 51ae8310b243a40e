import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

/// The place of a new container folder, beside those of other containers: no document can belong to two of them.
struct ContainerPlace {
  let folder: ContainerFolder

  /// Checks the place.
  ///
  /// Cost: a listing of each folder in it that is no package.
  ///
  /// A hidden folder whose making was cut short does not count at the place itself.
  ///
  /// - Throws: `fileExists` if the folder belongs to a container already; `unsupported` if it is in the folder of a
  ///   container, or has one in it.
  func check() throws(FilePackageError) {
    // A folder that cannot be resolved is checked as it is.
    let path = (try? FilePath(of: folder.url.resolvingSymlinksInPath(), for: .create)) ?? folder.path
    // A folder that cannot be read belongs to no container of this user, and the next call says why.
    if (try? folder.isUnfinished) == false {
      throw FilePackageError(
        .fileExists, .create, document: FileName(path).string, reason: "it is a folder of a container already"
      )
    }
    var outer = path
    while outer.removingLastComponent() != outer, !outer.removingLastComponent().isEmpty {
      outer = outer.removingLastComponent()
      if isContainerFolder(outer) { throw overlap(path, outer) }
    }
    if let inner = containerFolder(in: path, depth: 1) { throw overlap(path, inner) }
  }

  private func overlap(_ path: FilePath, _ other: FilePath) -> FilePackageError {
    FilePackageError(
      .unsupported, .create, document: FileName(path).string,
      reason:
        "'\(FileName(other).display)' is a container folder, and its documents would belong to two containers"
    )
  }

  /// A folder that cannot be read is no container folder of this user.
  private func isContainerFolder(_ path: FilePath) -> Bool {
    let disk = folder.disk
    return (try? disk.exists(PackageLayout.containerFolder, in: disk.openDirectory(at: path))) == true
  }

  private func containerFolder(in path: FilePath, depth: Int) -> FilePath? {
    let disk = folder.disk
    // A folder that cannot be listed has no container folder of this user.
    guard depth < DocumentName.maximumDepth, let listing = try? disk.list(disk.openDirectory(at: path)) else {
      return nil
    }
    for position in 0..<listing.count where listing.kind(at: position) == .directory {
      let inner = path.appending(listing.name(at: position))
      if isContainerFolder(inner) { return inner }
      if FolderSigns(ofFolderAt: inner)?.showPackage() == true { continue }
      if let found = containerFolder(in: inner, depth: depth + 1) { return found }
    }
    return nil
  }
}
