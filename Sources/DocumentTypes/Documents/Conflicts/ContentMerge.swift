import FilePackages

/// The merge of a content type, for its own children of a package.
struct ContentMerge {
  /// The conflicts of two contents, and a function that writes their merge into the tree of the document.
  struct Result {
    var conflicts: [MergeConflict]
    var write: (FileWrapper) throws -> Void
  }

  /// Returns whether a child is the content type's own.
  let owns: (String) -> Bool
  let merge: (_ base: FileWrapper, _ version: FileWrapper, _ present: FileWrapper) throws -> Result

  /// - Parameter role: the role of the metadata in the document's trees.
  init<Content: MergeableContent>(
    _ type: Content.Type, as contentType: UTType, pathExtension: String, _ role: MetadataRole
  ) {
    owns = Content.ownsChild(at:)
    merge = { base, version, present in
      func content(_ tree: FileWrapper) throws -> Content {
        tree.metadataRole = role
        return try type.read(tree, contentType, pathExtension: pathExtension)
      }
      let result = try Content.merged(base: content(base), ours: content(version), theirs: content(present))
      return Result(conflicts: result.conflicts) { tree in
        tree.metadataRole = role
        try result.content.write(into: tree, as: contentType, pathExtension: pathExtension)
      }
    }
  }
}
