import FilePackages
import FoundationEssentials
import ObjectStores

// An earlier version comes back as the next one, so no version changes or goes. Edits that are here go to the container
//     first, and are a version then.

extension ContainerSession {
  /// Reads the versions of a document, the last one first.
  func versions(ofItemNamed name: String) async throws -> VersionListing {
    let document = try await placedOrDeleted(name).document
    var numbers: [Int] = []
    try await store.listAll(CloudVersion.prefix(of: document)) { page in
      numbers += page.compactMap { CloudVersion.parse($0.key)?.sequence }
      return true
    }
    let results = try await concurrentMap(Array(numbers.reversed()), BlobStore.maximumCalls) { number in
      try await readable(document, number, named: name)
    }
    var listing = VersionListing()
    for result in results {
      switch result {
      // A collection of garbage may have removed it by now.
      case .success(let stored): if let stored { listing.versions.append(stored.version) }
      case .failure(let error): listing.problems.append(error)
      }
    }
    return listing
  }

  /// Makes the content of an earlier version the next version of its document.
  ///
  /// - Returns: the document's name: another one if it was deleted and its old name is taken.
  func restore(itemNamed name: String, version number: Int) async throws -> String {
    try await lastEntry()
    var record = try await confirmed(placedOrDeleted(name))
    if try head(of: record)?.isDeleted != true || record.base != nil {
      try await bringUpToDate(record)
      record = try await current(record)
    }
    try await refreshHead(of: &record)
    let earlier = try await version(number, of: record)
    for _ in 0..<20 {
      guard let head = try head(of: record) else { break }
      if head.root == earlier.root, !head.isDeleted { return head.name }
      try await renewContent(of: earlier, under: head)
      var version = nextVersion(after: head)
      (version.root, version.blobs, version.isPackage) = (earlier.root, earlier.blobs, earlier.isPackage)
      (version.contentType, version.isDeleted) = (earlier.contentType, false)
      version.contentDevice = earlier.contentDeviceName
      if head.isDeleted {
        let names = try await liveNames()
        version.name = DocumentName.free(head.name) { names.isTaken($0, byOthersThan: record.id) }
      }
      if try await commitElsewhere(version, of: &record) {
        try await bringUpToDate(record)
        return version.name
      }
    }
    throw FilePackageError(.busy, .save, document: name)
  }

  /// Reads a version of a document.
  ///
  /// - Throws: `noSuchFile` if the store has none of that number.
  private func version(_ number: Int, of record: DocumentRecord) async throws -> CloudVersion {
    let found =
      (1...CloudVersion.maximumSequence).contains(number)
      ? try await log.version(of: record.document, number) : nil
    guard let found else {
      throw FilePackageError(
        .noSuchFile, .open, document: record.name, reason: "the container has no version \(number) of it")
    }
    return found
  }

  /// Returns the record of a document by its name. If no document has it, the one that was deleted last counts.
  private func placedOrDeleted(_ name: String) async throws -> DocumentRecord {
    if let record = try await placedIfAny(name) { return record }
    if let deleted = try await deletedVersions().first(where: { $0.name == name }),
      let record = try await state.record(deleted.document)
    {
      return record
    }
    return try await placed(name)
  }
}
