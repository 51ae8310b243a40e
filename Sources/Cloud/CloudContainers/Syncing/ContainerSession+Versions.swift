import FilePackages
import FoundationEssentials

// An earlier version comes back as the next one, so no version changes or goes. Edits that are here go to the container
//     first, and are a version then.

extension ContainerSession {
  /// Returns the versions of a document, the last one first; none for one that no sync has found yet. It asks the store
  /// for nothing.
  func versions(ofItemNamed name: String) async throws -> [CloudVersion] {
    if try await placedIfAny(name) == nil, try FolderScan.document(name, in: folder) != nil { return [] }
    return try await state.versions(of: placedOrDeleted(name).id)
  }

  /// Makes the content of an earlier version the next version of its document.
  ///
  /// - Returns: the document's name: another one if it was deleted and its old name is taken.
  func restore(itemNamed name: String, version number: Int) async throws -> String {
    try await lookAtLog()
    var record = try await placedOrDeleted(name)
    if try head(of: record)?.isDeleted != true || record.base != nil {
      try await bringUpToDate(record)
      record = try await current(record)
    }
    var earlier = try await version(number, of: record)
    earlier.isDeleted = false
    return try await restore(earlier, of: record)
  }

  /// Brings a deleted document back, as a placeholder, under a free name.
  package func restore(_ document: CloudDocumentID) async throws -> String {
    try await lookAtLog()
    guard let record = try await state.record(document), let deleted = try head(of: record) else {
      throw FilePackageError(.noSuchFile, .open, document: document.string)
    }
    return try await restore(deleted, of: record)
  }

  /// Makes the content of a version the next version. If it is a deletion, that is for a deleted document alone.
  private func restore(_ earlier: CloudVersion, of record: DocumentRecord) async throws -> String {
    var record = record
    for _ in 0..<20 {
      guard let head = try head(of: record) else { break }
      if !head.isDeleted, earlier.isDeleted || head.root == earlier.root { return head.name }
      let since = try await state.known().position.number
      try await checkContent(of: earlier)
      var version = nextVersion(after: head)
      (version.root, version.blobs, version.isPackage) = (earlier.root, earlier.blobs, earlier.isPackage)
      (version.contentType, version.isDeleted) = (earlier.contentType, false)
      version.contentDevice = earlier.contentDeviceName
      if head.isDeleted { version.name = try await freeName(head.name, for: record) }
      if try await commit(version, of: &record, since: since) {
        try await bringUpToDate(record)
        return version.name
      }
    }
    throw FilePackageError(.busy, .save, document: record.name)
  }

  /// Returns a version of a document.
  ///
  /// - Throws: `noSuchFile` if the container keeps none of that number.
  private func version(_ number: Int, of record: DocumentRecord) async throws -> CloudVersion {
    if let found = try await state.versions(of: record.id).first(where: { $0.sequence == number }) {
      return found
    }
    throw FilePackageError(
      .noSuchFile, .open, document: record.name, reason: "the container has no version \(number) of it")
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
