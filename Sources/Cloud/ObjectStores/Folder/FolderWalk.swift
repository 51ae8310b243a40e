import DurableIO
import FilePackages
import SystemPackage

/// A walk through the folders of a store, in the order of keys, a page after the other.
///
/// It reads each folder once: it keeps the names that it has yet to visit, and no descriptor.
struct FolderWalk: Sendable {
  private let disk: any Disk
  private let root: FilePath
  private let prefix: String
  private let start: ObjectKey?
  /// The folders that the walk is in, from the store's own one on.
  private var levels: [Level] = []

  init(disk: any Disk, root: FilePath, prefix: String, start: ObjectKey?) {
    (self.disk, self.root, self.prefix, self.start) = (disk, root, prefix, start)
  }

  private struct Entry {
    var name: FileName
    /// The key, or its beginning with a slash at its end.
    var path: String
    var isFolder: Bool
  }

  private struct Level {
    let entries: [Entry]
    var position = 0
  }

  /// Returns the next page. An object that was removed since the last one is not in it.
  ///
  /// Cost: a status of each object, and a reading of each folder that the page is the first one to visit.
  mutating func nextPage(_ limit: Int) throws(SystemError) -> ObjectListing {
    var page = ObjectListing(objects: [], hasMore: false)
    try visit(disk.openDirectory(at: root), at: "", depth: 0, limit, &page)
    if page.hasMore { page.rest = ListingRest(value: self) }
    return page
  }

  /// - Parameter base: the key of the folder, with a slash at its end; empty for the store's own folder.
  private mutating func visit(
    _ folder: borrowing OwnedDescriptor, at base: String, depth: Int, _ limit: Int,
    _ page: inout ObjectListing
  ) throws(SystemError) {
    if levels.count == depth { levels.append(Level(entries: try entries(of: folder, at: base, &page))) }
    while levels[depth].position < levels[depth].entries.count {
      let entry = levels[depth].entries[levels[depth].position]
      if entry.isFolder {
        do throws(SystemError) {
          try visit(
            disk.openDirectory(entry.name, in: folder), at: entry.path, depth: depth + 1, limit, &page)
        } catch {
          // Another program may remove a folder meanwhile.
          if !error.isAbsence { throw error }
          levels.removeLast(levels.count - depth - 1)
        }
        if page.hasMore { return }
      } else if let status = try disk.statusIfPresent(of: entry.name, in: folder),
        let key = ObjectKey(entry.path)
      {
        if page.objects.count == limit {
          page.hasMore = true
          return
        }
        page.objects.append(StoredObject(key, status))
      }
      levels[depth].position += 1
    }
    levels.removeLast()
  }

  /// Returns the entries that may have objects of the listing. A folder sorts as its name with a slash.
  private func entries(
    of folder: borrowing OwnedDescriptor, at base: String, _ page: inout ObjectListing
  ) throws(SystemError) -> [Entry] {
    let names = try disk.list(folder)
    var entries: [Entry] = []
    for position in 0..<names.count {
      let (name, kind) = (names.name(at: position), names.kind(at: position))
      if base.isEmpty && name == FolderStore.uploads { continue }
      guard kind == .file || kind == .directory, ObjectKey(base + name.string) != nil else {
        page.otherNames += 1
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
