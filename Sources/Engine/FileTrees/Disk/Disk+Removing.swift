package import DurableIO
import SystemPackage

extension Disk {
  /// Removes a whole directory, or a file, in at most two attempts; returns false if something is left.
  @discardableResult
  package func removeEverything(_ name: FileName, from folder: borrowing OwnedDescriptor) -> Bool {
    for _ in 0..<2 {
      do {
        try removeTree(name, from: folder)
        return true
      } catch  where error.code == .noSuchFileOrDirectory {
        return true
      } catch {
        continue
      }
    }
    return false
  }

  private func removeTree(_ name: FileName, from folder: borrowing OwnedDescriptor) throws(SystemError) {
    do {
      let directory = try openDirectory(name, in: folder)
      if try status(of: directory).mode & 0o700 != 0o700 { try setMode(0o700, of: directory) }
      let listing = try list(directory)
      for position in 0..<listing.count {
        let child = listing.name(at: position)
        if listing.kind(at: position) == .directory {
          try removeTree(child, from: directory)
        } else {
          try removeFile(child, in: directory)
        }
      }
    } catch  where error.code == .notDirectory || error.code == .tooManySymbolicLinkLevels {
      // The old state of a flat document, or a replaced file or link.
      return try removeFile(name, in: folder)
    }
    try removeDirectory(name, in: folder)
  }
}
