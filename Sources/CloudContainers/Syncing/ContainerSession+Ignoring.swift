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

  /// Returns the number of items that the rules of the folder ignore.
  package func ignoredItemCount() async throws -> Int {
    try await scanFolder(knowing: state.records()).ignored
  }
}
