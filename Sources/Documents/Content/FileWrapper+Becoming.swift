import DurableIO
import FilePackages

extension DocumentContent {
  /// Writes the content into a tree. If the content returns a new tree, this one gets its children.
  func write(into tree: FileWrapper, as type: UTType) throws {
    let written = try fileWrapper(
      configuration: FileDocumentWriteConfiguration(
        contentType: type, existingFile: tree, at: nil, writingBeside: nil))
    if written !== tree { try tree.become(written) }
  }
}

extension FileWrapper {
  /// Gives this folder the children of `written`; kept children and linked files stay.
  package func become(_ written: FileWrapper, keeping kept: Set<String> = [], at path: String = "") throws {
    let new = try Set(written.childNames())
    for name in try childNames() where !new.contains(name) && !kept.contains(path + name) {
      // The store owns the metadata, unless the content writes some.
      if path.isEmpty && name == PackageLayout.metadata.string { continue }
      guard let old = try child(named: name) else { continue }
      let folder = path + name + "/"
      if old.isDirectory, kept.contains(where: { $0.hasPrefix(folder) }) {
        try old.become(FileWrapper(directoryWithFileWrappers: [:]), keeping: kept, at: folder)
      } else {
        removeFileWrapper(old)
      }
    }
    for name in new where !kept.contains(path + name) {
      if path.isEmpty && name == PackageLayout.metadata.string && metadataRole == .hidden { continue }
      guard let child = try written.child(named: name) else { continue }
      if let old = try self.child(named: name) {
        if let file = child.storedFile, file == old.storedFile { continue }
        if old.isDirectory && child.isDirectory {
          try old.become(child, keeping: kept, at: path + name + "/")
          continue
        }
        removeFileWrapper(old)
      }
      written.removeFileWrapper(child)
      child.preferredFilename = name
      addFileWrapper(child)
    }
  }
}
