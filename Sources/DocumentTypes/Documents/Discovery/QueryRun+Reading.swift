import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage

// The reading of folders.
extension QueryRun {
  /// The depth of the deepest folder, as in a package.
  private static let maximumDepth = PackagePath.maximumDepth

  func addScopes() {
    var paths: [FilePath] = []
    for url in search.folders {
      do throws(FilePackageError) {
        paths.append(try FilePath(of: url, for: .search).lexicallyNormalized())
      } catch {
        report.note(error, of: FolderPath(FilePath(lossless: url.path)), run: number)
      }
    }
    for path in paths.sorted(by: { $0.length < $1.length })
    where !scopes.contains(where: { reaches(path, from: $0) }) {
      scopes.append(SearchedFolder(scope: FolderPath(path)))
    }
    unread = scopes
  }

  /// Returns whether the search of `scope` covers the folder, judged by the names on the way.
  private func reaches(_ path: FilePath, from scope: SearchedFolder) -> Bool {
    var rest = path
    guard rest.removePrefix(scope.path.path) else { return false }
    if rest.isEmpty { return true }
    guard search.isRecursive else { return false }
    return rest.components.allSatisfy { component in
      if case .folder = kinds.verdict(FileName(component), isDirectory: true) { true } else { false }
    }
  }

  /// Reads one folder for the gathering.
  func gatherNext() {
    readNext()
    tellGathered()
  }

  private func tellGathered() {
    report.gather(found.map { ($0.item, isResult($0.item)) }, run: number)
    found.removeAll(keepingCapacity: true)
  }

  /// Notes a document that is new in its folder.
  func note(_ item: DocumentItem, in folder: SearchedFolder) {
    folder.entries[item.name] = .document(watch: nil)
    gone[DocumentPlace(item)] = nil
    if item.kind.isPackage { unarmed.append((folder, item.name)) }
    found.append((folder, item))
    // Listeners can show the first documents while the query still reads a large folder.
    if isGathering && found.count == 1_000 { tellGathered() }
  }

  func isResult(_ item: DocumentItem) -> Bool { search.predicate?(item) ?? true }

  /// Opens a folder name by name, and checks that its node is the known one.
  func open(_ folder: SearchedFolder) throws(SystemError) -> OwnedDescriptor {
    let (scope, names) = folder.route
    var directory = try disk.openDirectory(at: scope.path.path)
    for name in names { directory = try disk.openDirectory(name, in: directory) }
    let node = DocumentNode(try disk.status(of: directory))
    guard folder.node.map({ $0 == node }) ?? true else {
      throw SystemError("openat", folder.name, code: .noSuchFileOrDirectory)
    }
    folder.node = node
    return directory
  }

  /// Reads the next unread folder.
  func readNext() {
    guard let folder = unread.popLast(), !folder.isDetached, folder.node == nil else { return }
    do throws(SystemError) {
      let directory = try open(folder)
      guard isOnlyOne(folder) else { return }
      startWatching(directory, as: folder)  // Q1
      if !folder.isScope, try FolderSigns.areOfOwnPackage(directory, on: disk) {
        return becomePackage(folder)
      }
      try list(directory, as: folder)
      noteSearched(folder)
    } catch {
      note(error, of: folder)
    }
  }

  /// Returns whether no other path, such as a mount, leads to the same folder. A folder that has left its path gives
  /// way.
  private func isOnlyOne(_ folder: SearchedFolder) -> Bool {
    guard let node = folder.node else { return false }
    if let other = foldersByNode[node], other !== folder, !other.isDetached {
      // A folder that cannot be opened at its path has left it.
      guard (try? open(other)) == nil else {
        folder.node = nil
        return false
      }
      if other.isScope { empty(other) } else { detach(other) }
    }
    foldersByNode[node] = folder
    return true
  }

  private func list(
    _ directory: borrowing OwnedDescriptor, as folder: SearchedFolder
  ) throws(SystemError) {
    let listing = try disk.list(directory)
    folder.entries.reserveCapacity(listing.count)
    for position in 0..<listing.count {
      let kind = listing.kind(at: position)
      guard kind == .file || kind == .directory else { continue }
      let name = listing.name(at: position)
      switch kinds.verdict(name, isDirectory: kind == .directory) {
      case .ignored: continue
      case .folder: addFolder(name, in: folder)
      case .document(let kind):
        // A document that is gone by now does not count.
        guard let status = try disk.statusIfPresent(of: name, in: directory),
          status.kind == (kind.isPackage ? .directory : .file)
        else { continue }
        note(DocumentItem(name, in: folder, kind, status), in: folder)
      }
    }
  }

  func addFolder(_ name: FileName, in folder: SearchedFolder) {
    guard search.isRecursive, folder.depth < Self.maximumDepth else { return }
    let child = SearchedFolder(name, in: folder)
    folder.entries[name] = .folder(child)
    unread.append(child)
  }

  /// Makes a document of a folder that was taken for a plain one.
  private func becomePackage(_ folder: SearchedFolder) {
    folder.isPackage = true
    guard let parent = folder.parent, let kind = kinds.unnamedPackage else { return }
    do throws(SystemError) {
      let directory = try open(parent)
      let status = try disk.status(of: folder.name, in: directory)
      guard DocumentNode(status) == folder.node else { return mark(folder.name, in: parent) }
      detach(folder)
      note(DocumentItem(folder.name, in: parent, kind, status), in: parent)
    } catch {
      mark(folder.name, in: parent)
    }
  }

  // MARK: Unsearchable folders

  /// Notes why a folder cannot be searched. If the folder is gone, marks its name in its parent instead.
  func note(_ error: SystemError, of folder: SearchedFolder) {
    if error.isAbsence, let parent = folder.parent { return mark(folder.name, in: parent) }
    hasUnwatched = true
    let node = StoredNode(location: Location(folder.path.path, on: disk), path: .root)
    let problem = FilePackageError(error, .search, node)
    guard folder.problem?.code != problem.code else { return }
    folder.problem = problem
    report.note(problem, of: folder.path, run: number)
  }

  func noteSearched(_ folder: SearchedFolder) {
    guard folder.problem != nil else { return }
    folder.problem = nil
    report.note(nil, of: folder.path, run: number)
  }

  // MARK: Giving up

  /// Forgets a folder and all documents in it, until they are found in another place.
  func detach(_ folder: SearchedFolder) {
    if let parent = folder.parent, case .folder(let known)? = parent.entries[folder.name], known === folder {
      parent.entries[folder.name] = nil
    }
    end(folder)
  }

  private func end(_ folder: SearchedFolder) {
    folder.forEachFolder { noteSearched($0) }
    empty(folder)
    folder.isDetached = true
  }

  /// Forgets all documents and folders in a folder.
  func empty(_ folder: SearchedFolder) {
    for (name, entry) in folder.entries { forget(entry, name, in: folder) }
    folder.entries = [:]
    folder.dirty = [:]
    if let watch = folder.watch { watchTable.release(watch) { if $0.folder === folder { $0.folder = nil } } }
    folder.watch = nil
    if let node = folder.node, foldersByNode[node] === folder { foldersByNode[node] = nil }
    folder.node = nil
  }

  /// Forgets the document or folder under a name.
  func forget(_ entry: SearchedFolder.Entry, _ name: FileName, in folder: SearchedFolder) {
    switch entry {
    case .folder(let child): end(child)
    case .document(let watch):
      gone[DocumentPlace(name, in: folder.path)] = Absence()
      guard let watch else { return }
      watchTable.release(watch) { point in
        if let package = point.package, package.folder === folder, package.name == name {
          point.package = nil
        }
      }
    }
  }
}

extension DocumentItem {
  init(_ name: FileName, in folder: SearchedFolder, _ kind: DocumentKind, _ status: FileStatus) {
    self.init(
      folder: folder.path, name: name, kind: kind, node: DocumentNode(status), modified: status.modified,
      bytes: status.size)
  }
}
