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
    let missing = try await state.records().filter { record in
      guard record.base == nil, !record.isWanted, let head = try head(of: record) else { return false }
      return !head.isDeleted && patterns.matchesAnyPart(of: head.name, isDirectory: head.isPackage)
    }
    if !missing.isEmpty { try await state.setWanted(true, missing.map(\.id)) }
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
