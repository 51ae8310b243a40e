import DurableIO
import FilePackages
import FoundationEssentials

/// A tree in memory that is made of an archive's entries.
final class TreeImport: ImportSink {
  private let root = FileWrapper(directoryWithFileWrappers: [:])
  private var folders: [PackagePath: FileWrapper] = [:]
  private var files: [PackagePath: Data] = [:]
  private var links = PendingLinks()

  func addFolder(_ path: PackagePath, _ entry: ArchiveEntry) throws {
    folder(at: path).setImported(mode: entry.mode & 0o777, modified: entry.modified)
  }

  func addFile(
    _ path: PackagePath, _ entry: ArchiveEntry,
    _ body: ((UnsafeRawBufferPointer, UInt64) throws -> Void) throws -> Void
  ) throws {
    var data = Data()
    try body { bytes, offset in
      data.append(Data(count: Int(offset) - data.count))
      data.append(contentsOf: bytes)
    }
    if let size = entry.size, size > data.count { data.append(Data(count: Int(size) - data.count)) }
    add(data, at: path, entry)
  }

  func addCopy(_ path: PackagePath, of original: PackagePath, _ entry: ArchiveEntry) throws {
    add(files[original] ?? Data(), at: path, entry)
  }

  private func add(_ data: Data, at path: PackagePath, _ entry: ArchiveEntry) {
    files[path] = data
    let file = FileWrapper(regularFileWithContents: data)
    file.setImported(mode: entry.mode & 0o777, modified: entry.modified)
    add(file, at: path)
  }

  func addLink(_ path: PackagePath, to target: [UInt8], _ entry: ArchiveEntry) throws {
    links.add(path, target, entry)
  }

  func removeFile(at path: PackagePath, _ entry: ArchiveEntry) throws {
    files[path] = nil
    let folder = folder(at: path.parent)
    if let file = try folder.child(named: path.names[path.names.count - 1].string) {
      folder.removeFileWrapper(file)
    }
  }

  func size(of path: PackagePath) throws -> UInt64 {
    UInt64(files[path]?.count ?? 0)
  }

  private func add(_ node: FileWrapper, at path: PackagePath) {
    node.preferredFilename = path.names[path.names.count - 1].string
    folder(at: path.parent).addFileWrapper(node)
  }

  private func folder(at path: PackagePath) -> FileWrapper {
    if path.isRoot { return root }
    if let folder = folders[path] { return folder }
    let folder = FileWrapper(directoryWithFileWrappers: [:])
    folders[path] = folder
    add(folder, at: path)
    return folder
  }

  /// Returns the tree after the last entry.
  func tree(top: FileName?, _ options: ImportOptions) throws -> FileWrapper {
    for link in try links.checked(in: top, options) {
      add(FileWrapper.imported(linkTo: link.target), at: link.path)
    }
    guard let top else { return root }
    let tree = folder(at: PackagePath([top]))
    root.removeFileWrapper(tree)
    tree.preferredFilename = top.string
    return tree
  }
}
