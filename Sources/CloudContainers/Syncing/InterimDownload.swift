import Documents
import DurableIO
import FilePackages
import Foundation
import ObjectStores
import SystemPackage

extension ContainerSession {
  func data(_ content: FileContent) async throws -> Data {
    if content.size == 0 { return Data() }
    return try await blobs.get(BlobName(content.hash))
  }

  func materialise(
    at url: URL, isPackage: Bool, type: String, from base: TreeRoot?, to root: TreeRoot
  ) async throws {
    if !isPackage {
      guard case .file(let content)? = try await DocumentTree(root, blobs).entry(at: LocalTree.flatFile)?.kind
      else {
        throw CloudDataError(.invalid, in: store.place, reason: "it is no flat file")
      }
      let bytes = try await data(content)
      try await FileCoordinator().coordinate(writingItemAt: url) { url in
        let file = FileWrapper(regularFileWithContents: bytes)
        if base == nil {
          try await BlockingThread().run { () throws in try makeFolders(url) }
          _ = try await FlatFileStore.create(file, at: url)
        } else {
          _ = try await FlatFileStore.open(at: url).save(file)
        }
      }
      return
    }
    let differences = try await DocumentTree.differences(from: base, to: root, in: blobs)
    var contents: [PackagePath: Data] = [:]
    for difference in differences {
      if case .file(let content)? = difference.new?.kind {
        contents[difference.path] = try await data(content)
      }
    }
    let fetched = contents
    try await FileCoordinator().coordinate(writingItemAt: url) { url in
      func apply(_ tree: FileWrapper) throws {
        for difference in differences where difference.new == nil {
          if try tree.descendant(at: difference.path.string) != nil {
            try tree.removeDescendant(at: difference.path.string)
          }
        }
        for difference in differences {
          switch difference.new?.kind {
          case .file:
            try tree.setDescendant(
              FileWrapper(regularFileWithContents: fetched[difference.path] ?? Data()),
              at: difference.path.string)
          case .directory:
            if try tree.descendant(at: difference.path.string)?.isDirectory != true {
              try tree.setDescendant(FileWrapper(directoryWithFileWrappers: [:]), at: difference.path.string)
            }
          default: break
          }
        }
      }
      if base == nil {
        try await BlockingThread().run { () throws in try makeFolders(url) }
        let tree = FileWrapper(directoryWithFileWrappers: [:])
        try apply(tree)
        let (store, _) = try await PackageStore.create(tree, at: url, contentType: UTType(unchecked: type))
        try await store.close()
      } else {
        let store = try await PackageStore.open(at: url)
        let tree = await store.tree
        try apply(tree)
        try await store.save(tree)
        try await store.close()
      }
    }
  }

  private func makeFolders(_ url: URL) throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  }

  func discard(at url: URL, name: String) async throws {
    try await FileCoordinator().coordinate(writingItemAt: url, options: .forDeleting) { _ in
      try await folder.location.delete(name)
    }
  }
}
