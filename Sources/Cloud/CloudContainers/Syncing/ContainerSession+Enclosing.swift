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
      let version = try await state.versions(of: record.id).first { $0.root == base }
      for blob in version?.blobs ?? [] { here.insert(blob, as: BlobName(of: blob)) }
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
}
