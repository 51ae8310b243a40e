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
