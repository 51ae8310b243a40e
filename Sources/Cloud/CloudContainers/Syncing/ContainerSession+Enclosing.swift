import FilePackages
import FoundationEssentials

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
    let here = Enclosure()
    if let base = base(of: record), base.isSmall, base != head.root {
      let entries = try await state.children(of: record.id).children.map(\.entry)
      _ = try await DocumentTree.store(entries, in: blobs.enclosing(here))  // `here` gets the pages.
      for bytes in try await state.earlierHeads(of: record.id) {
        // A version that cannot be read gives no contents.
        guard let version = try? CloudVersion(decoding: bytes), version.root == base else { continue }
        for blob in version.blobs { here.insert(blob, as: BlobName(of: blob)) }
        break
      }
    }
    return blobs.adding(head.blobs + here.all.values)
  }

  /// Returns the blobs that go with a version of a content; none if it is not small. The store then has all of them.
  ///
  /// - Parameter source: the blobs of the content. Those in its enclosure are in no object of the store.
  func enclose(_ root: TreeRoot, from source: BlobStore) async throws -> [Data] {
    if enclosesSmall, root.isSmall {
      switch try await checking(nil, { try await self.parts(of: root, in: source) }) {
      case .success(let parts?): return parts
      case .success(nil): break
      case .failure(let error) where error.code == .refusedByStore: throw error
      case .failure: break
      }
    }
    if let enclosure = source.enclosure { try await blobs.put(all: enclosure) }
    return []
  }

  private func parts(of root: TreeRoot, in source: BlobStore) async throws -> [Data]? {
    var marks = BlobMarks(source)
    try await marks.mark([(root, nil)])
    if let problem = marks.problems.first { throw problem }
    let found = try await concurrentMap(marks.names, BlobStore.maximumCalls) { name in
      (name, try await source.get(name))
    }
    return root.parts(among: Dictionary(uniqueKeysWithValues: found))
  }

  /// Makes sure that a version of this content can follow the last one: a collection of garbage may have taken it, or be
  /// about to.
  ///
  /// - Throws: `CloudDataError` if a part of the content is gone; `ObjectStoreError`.
  func renewContent(of version: CloudVersion, under head: CloudVersion) async throws {
    if version.hasContent { return }
    if try await !keeps(version.root, under: head) { try await storeAnew(version.root) }
  }
}
