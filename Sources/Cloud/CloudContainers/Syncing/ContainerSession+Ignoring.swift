import FilePackages

extension ContainerSession {
  /// Reads the rules of the folder.
  ///
  /// - Throws: `FilePackageError` if there are rules that cannot be read: no document may go to the container then.
  func ignoredItems(knowing records: [DocumentRecord]) throws -> IgnoredItems {
    let rules = try folder.ignoreRules()
    if rules.isEmpty { return IgnoredItems() }
    var ignored = IgnoredItems(rules)
    for record in records {
      let isLive = try head(of: record).map { !$0.isDeleted } ?? false
      if isLive || record.base != nil || record.pending != nil { ignored.note(record) }
    }
    return ignored
  }

  /// Returns whether the rules of the folder ignore a document in it that the container does not have.
  package func ignores(_ name: String) throws -> Bool {
    guard let local = try FolderScan.document(name, in: folder) else { return false }
    return try folder.ignoreRules().matchesAnyPart(of: name, isDirectory: local.isPackage)
  }
}
