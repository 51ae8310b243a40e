import CommandSupport
import Documents
import DurableIO
import FilePackages
import FoundationEssentials
import ImageNotes
import SystemPackage

/// Returns the signs of a package in a folder; nil if there is no folder, or if the text is no path.
func folderSigns(_ path: String) -> FolderSigns? {
  (try? FilePath(of: url(path), for: .open)).flatMap { FolderSigns(ofFolderAt: $0) }
}

/// The documents in a folder that is no document itself, at any depth.
struct Library {
  struct Document {
    /// The path as the folder's argument spells it.
    var path: String
    /// The path from the folder on.
    var child: String
  }

  let path: String
  let documents: [Document]
  /// The reasons why some folders could not be searched.
  let problems: [FilePackageError]

  /// Finds the documents in a folder; nil if the path is no library.
  init?(at path: String) async throws {
    guard await folderKind(of: path) == .library else { return nil }
    _ = UTType.imageNotes  // The access declares the type: a document may have lost its other signs.
    self.path = path
    let folder = try FilePath(of: url(path), for: .search).lexicallyNormalized()
    let search = DocumentSearch(beneath: folder, packages: [])
    let (items, problems) = await search.documents()
    let spellings = PathSpellings([path])
    let prefix = search.folders.first?.path ?? ""
    documents = items.map { item in
      let child = String(item.path.dropFirst(prefix.count).drop { $0 == "/" })
      return Document(path: spellings.spelling(of: item.path), child: child)
    }
    self.problems = problems.map(\.error)
    try DatabaseDocuments.handOver(anyOf: documents.lazy.map(\.path))
  }

  /// Returns the path of the document that contains a child of the folder, or nil.
  ///
  /// The document itself is no child of one.
  static func document(around child: String, in path: String) throws -> String? {
    let names = child.split(separator: "/")
    return try names.indices.dropFirst().lazy.map { end in
      (path.hasSuffix("/") ? path : path + "/") + names[..<end].joined(separator: "/")
    }.first { folder in
      FolderSigns(ofFolderAt: try FilePath(of: url(folder), for: .open))?.showPackage() ?? false
    }
  }

  /// Calls `body` while the folder's tree has each document with a database at one moment.
  ///
  /// Such a document is in the tree with its database as one file, never beside its log.
  func withDatabases<Result: Sendable>(
    in tree: FileWrapper, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let databases = try documents.compactMap { document in
      try databaseDocument(at: document.path).map { (document: $0, child: document.child) }
    }
    return try await Self.withDatabases(databases[...], in: tree, body)
  }

  private static func withDatabases<Result: Sendable>(
    _ databases: ArraySlice<(document: any CommandDocument, child: String)>, in tree: FileWrapper,
    _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    guard let (document, child) = databases.first else { return try await body() }
    return try await document.withTree { moment in
      try tree.setDescendant(moment, at: child)
      return try await withDatabases(databases.dropFirst(), in: tree, body)
    }
  }

  /// Prints the reasons why some folders could not be searched.
  ///
  /// - Returns: the exit status that they make.
  func reportProblems() -> Int32 {
    for problem in problems { StandardError.write("docpkg: \(problem.description)\n") }
    return problems.isEmpty ? 0 : ExitStatus.failed
  }
}
