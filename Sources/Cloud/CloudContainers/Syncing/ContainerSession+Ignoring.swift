import FilePackages

extension ContainerSession {
  /// Reads the rules of the folder.
  ///
  /// - Throws: `FilePackageError` if there are rules that cannot be read: no document may go to the container then.
  func ignoredItems(knowing records: [DocumentRecord]) throws -> IgnoredItems {
    var ignored = IgnoredItems(try folder.ignoreRules())
    for record in records {
      let isLive = try head(of: record).map { !$0.isDeleted } ?? false
      if isLive || record.base != nil { ignored.note(record) }
    }
    return ignored
  }

  /// Returns whether the folder ignores a document in it that the container does not have.
  package func ignores(_ name: String) throws -> Bool {
    guard let local = try FolderScan.document(name, in: folder) else { return false }
    return try !local.isPackage && IgnoredItems.isTemporary(name)
      || folder.ignoreRules().matchesAnyPart(of: name, isDirectory: local.isPackage)
  }
}
