import DurableIO
import FilePackages
import SystemPackage

/// A walk through the folders of a store, in the order of keys.
struct FolderWalk {
  let disk: any Disk
  let prefix: String
  let start: ObjectKey?
  let limit: Int
  private(set) var listing = ObjectListing(objects: [], hasMore: false)

  init(disk: any Disk, prefix: String, start: ObjectKey?, limit: Int) {
    (self.disk, self.prefix, self.start, self.limit) = (disk, prefix, start, limit)
  }

  private struct Entry {
    var name: FileName
    /// The key, or its beginning with a slash at its end.
    var path: String
    var isFolder: Bool
  }

  /// - Parameter base: the key of the folder, with a slash at its end; empty for the store's own folder.
  mutating func visit(_ folder: borrowing OwnedDescriptor, at base: String) throws(SystemError) {
    for entry in try entries(of: folder, at: base) {
      if entry.isFolder {
        do throws(SystemError) {
          try visit(disk.openDirectory(entry.name, in: folder), at: entry.path)
        } catch {
          // Another program may remove a folder meanwhile.
          if !error.isAbsence { throw error }
        }
      } else if let status = try disk.statusIfPresent(of: entry.name, in: folder) {
        guard let key = ObjectKey(entry.path) else { continue }
        if listing.objects.count == limit {
          listing.hasMore = true
          return
        }
        listing.objects.append(StoredObject(key, status))
      }
      if listing.hasMore { return }
    }
  }

  /// Returns the entries that may have objects of the listing. A folder sorts as its name with a slash.
  private mutating func entries(
    of folder: borrowing OwnedDescriptor, at base: String
  ) throws(SystemError) -> [Entry] {
    let names = try disk.list(folder)
    var entries: [Entry] = []
    for position in 0..<names.count {
      let (name, kind) = (names.name(at: position), names.kind(at: position))
      if base.isEmpty && name == FolderStore.uploads { continue }
      guard kind == .file || kind == .directory, ObjectKey(base + name.string) != nil else {
        listing.otherNames += 1
        continue
      }
      let isFolder = kind == .directory
      let path = base + name.string + (isFolder ? "/" : "")
      let isOfPrefix = path.hasPrefix(prefix) || isFolder && prefix.hasPrefix(path)
      if isOfPrefix && isAfterStart(path, isFolder: isFolder) {
        entries.append(Entry(name: name, path: path, isFolder: isFolder))
      }
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
