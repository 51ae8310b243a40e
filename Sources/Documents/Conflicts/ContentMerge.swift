import FilePackages

/// How a content type merges its own children of a package.
struct ContentMerge {
  /// What two contents come to, and how that is put into the tree of the document in its place.
  struct Result {
    var conflicts: [MergeConflict]
    var write: (FileWrapper) throws -> Void
  }

  /// Whether a child is the content type's own.
  let owns: (String) -> Bool
  private let merged: (FileWrapper, FileWrapper, FileWrapper) throws -> Result

  init<Content: MergeableContent>(_ type: Content.Type, as contentType: UTType) {
    owns = Content.ownsChild(at:)
    merged = { base, version, present in
      func content(_ tree: FileWrapper) throws -> Content {
        try Content(
          configuration: FileDocumentReadConfiguration(contentType: contentType, file: tree, at: nil))
      }
      let result = try Content.merged(base: content(base), ours: content(version), theirs: content(present))
      return Result(conflicts: result.conflicts) { tree in
        _ = try result.content.fileWrapper(
          configuration: FileDocumentWriteConfiguration(
            contentType: contentType, existingFile: tree, at: nil, writingBeside: nil))
      }
    }
  }

  func merge(base: FileWrapper, version: FileWrapper, present: FileWrapper) throws -> Result {
    try merged(base, version, present)
  }
}
