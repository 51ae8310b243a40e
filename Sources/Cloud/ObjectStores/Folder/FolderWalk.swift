import DurableIO
import FilePackages
import SystemPackage

/// A walk through the folders of a store, in the order of keys, to one page of a listing. It reads each folder once.
struct FolderWalk {
  let disk: any Disk
  let prefix: String
  let start: ObjectKey?
  let limit: Int

  /// Returns the page of a store.
  ///
  /// Cost: a status of each object, and a reading of each folder up to the end of the page.
  func page(of root: FilePath) throws(SystemError) -> ObjectListing {
    var page = ObjectListing(objects: [], hasMore: false)
    try visit(disk.openDirectory(at: root), at: "", &page)
    return page
  }

  /// - Parameter base: the key of the folder, with a slash at its end; empty for the store's own folder.
  private func visit(
    _ folder: borrowing OwnedDescriptor, at base: String, _ page: inout ObjectListing
  ) throws(SystemError) {
    for (name, path) in try entries(of: folder, at: base) where !page.hasMore {
      if path.hasSuffix("/") {
        do throws(SystemError) {
          try visit(disk.openDirectory(name, in: folder), at: path, &page)
        } catch {
          // Another program may remove a folder meanwhile.
          if !error.isAbsence { throw error }
        }
      } else if let status = try disk.statusIfPresent(of: name, in: folder),
        let key = ObjectKey(path)
      {
        if page.objects.count == limit {
          page.hasMore = true
        } else {
          page.objects.append(StoredObject(key, status))
        }
      }
    }
  }

  /// Returns the entries that may have objects of the listing, by their names and their keys. A folder sorts as its key
  /// with a slash.
  private func entries(
    of folder: borrowing OwnedDescriptor, at base: String
  ) throws(SystemError) -> [(name: FileName, path: String)] {
    let names = try disk.list(folder)
    var entries: [(name: FileName, path: String)] = []
    for position in 0..<names.count {
      let (name, kind) = (names.name(at: position), names.kind(at: position))
      if base.isEmpty && name == FolderStore.uploads { continue }
      guard kind == .file || kind == .directory, ObjectKey(base + name.string) != nil else { continue }
      let isFolder = kind == .directory
      let path = base + name.string + (isFolder ? "/" : "")
      let isOfPrefix = path.hasPrefix(prefix) || isFolder && prefix.hasPrefix(path)
      if isOfPrefix && isAfterStart(path, isFolder: isFolder) { entries.append((name, path)) }
    }
    // Keys are ASCII. So the fast comparison of strings is that of bytes.
    return entries.sorted { $0.path < $1.path }
  }

  private func isAfterStart(_ path: String, isFolder: Bool) -> Bool {
    guard let start else { return true }
    if isFolder && start.string.hasPrefix(path) { return true }
    return start.string.utf8.lexicographicallyPrecedes(path.utf8)
  }
}
