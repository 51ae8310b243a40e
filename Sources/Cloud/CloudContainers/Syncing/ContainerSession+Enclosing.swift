import FilePackages
import FoundationEssentials

// EN1 The blobs of a version are a whole tree: each page and each content of its root, once, and nothing else.
// EN2 A small base may have its content in an earlier version alone. So an upload over it relies on none of its blobs.
// A version that has its content copies it to each later version of the same content. So the content stays as long as
// the last version, like a blob that a version needs.

extension ContainerSession {
  /// Returns the blobs of the container, with those that these versions have.
  func blobs(with versions: CloudVersion...) -> BlobStore {
    blobs.adding(versions.flatMap(\.blobs))
  }

  /// Returns the blobs of the container, with those of a version and of the content that was here.
  ///
  /// The pages of a small base come from its entries, and its contents from the version that had it. A content that no
  /// known version has is missing.
  func blobs(with head: CloudVersion, andBaseOf record: DocumentRecord) async throws -> BlobStore {
    let here = blobs.enclosing()
    if let base = base(of: record), base.isSmall, base != head.root {
      let entries = try await state.children(of: record.id).children.map(\.entry)
      _ = try await DocumentTree.store(entries, in: here)  // `here` gets the pages.
      let version = try await state.versions(of: record.id).first { $0.root == base }
      try await here.put(all: version?.blobs ?? [])
    }
    return blobs.adding(head.blobs + here.enclosed.values)
  }
}
