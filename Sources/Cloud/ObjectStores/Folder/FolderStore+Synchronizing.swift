import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

extension FolderStore {
  /// The synchronising program whose files are in the store's folder or a parent of it; nil if there are none.
  public var synchronizingProgram: String? {
    // The marks are around the folder itself, and not around a link to it.
    let place = URL(filePath: FileName(path).string, directoryHint: .isDirectory).resolvingSymlinksInPath()
    // A place that cannot be resolved is looked at as it is.
    var folder = (try? FilePath(of: place, for: .open)) ?? path
    while true {
      // A folder that this user cannot read has no marks to see.
      if let program = try? Self.program(in: folder, of: disk) { return program }
      let parent = folder.removingLastComponent()
      if parent == folder || parent.isEmpty { return nil }
      folder = parent
    }
  }

  /// Returns the program whose marks a folder has.
  private static func program(in folder: FilePath, of disk: any Disk) throws(SystemError) -> String? {
    let listing = try disk.list(disk.openDirectory(at: folder))
    for position in 0..<listing.count {
      let isFile = listing.kind(at: position) == .file
      switch listing.name(at: position).string {
      case ".stfolder": return "Syncthing"
      // A folder of this name in the home folder has Dropbox's settings.
      case ".dropbox" where isFile, ".dropbox.cache": return "Dropbox"
      case let name
      where isFile && (name.hasPrefix(".sync_") || name.hasPrefix("._sync_")) && name.hasSuffix(".db"):
        return "Nextcloud"
      default: continue
      }
    }
    return nil
  }
}
