import FilePackages

extension ContainerSession {
  /// The patterns of the documents that this machine always has.
  private func keptPatterns() throws -> PathPatterns {
    PathPatterns((try folder.settings().kept ?? []).joined(separator: "\n"))
  }

  /// Asks for the content of the placeholders that this machine always has.
  func wantKeptDocuments() async throws {
    let patterns = try keptPatterns()
    if patterns.isEmpty { return }
    for record in try await state.records() where record.base == nil && !record.isWanted {
      guard let head = try head(of: record), !head.isDeleted,
        patterns.matchesAnyPart(of: head.name, isDirectory: head.isPackage)
      else { continue }
      try await state.setWanted(true, record.id)
    }
  }

  /// Checks that the next run would not bring a document back.
  ///
  /// - Throws: `unsupported` if this machine always has it.
  func checkNotKept(_ name: String, isPackage: Bool) throws {
    guard try keptPatterns().matchesAnyPart(of: name, isDirectory: isPackage) else { return }
    throw FilePackageError(
      .unsupported, .evict, document: name, reason: "the settings of its container folder keep it here")
  }
}
