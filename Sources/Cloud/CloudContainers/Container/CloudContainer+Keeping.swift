import FilePackages

extension CloudContainer {
  /// Checks all versions in the container, and all objects that they need.
  ///
  /// The report has the missing and damaged objects. It also says whether the store is empty, has another container, or
  /// was rolled back.
  ///
  /// - Parameter reads: whether to read every object; otherwise the store only has to list it.
  /// - Throws: `ObjectStoreError`.
  public func check(reads: Bool = false) async throws -> CheckReport {
    try await ContainerCheck(session).run(reads: reads)
  }

  /// Stores lost and damaged objects again, as far as this machine has them: the container's identity, entries of its log,
  /// and the content of documents.
  ///
  /// - Parameter reads: whether to read all content, to find damage that a listing does not show.
  /// - Throws: `ObjectStoreError`; `CloudDataError` if the store has another container, or no object of this one.
  public func repair(reads: Bool = false) async throws -> ContainerRepairReport {
    try await exclusively { try await ContainerRepair(session).run(reads: reads) }
  }

  /// Removes versions that were replaced more than thirty days ago, and objects that no version needs.
  ///
  /// - Parameter isDryRun: whether to count the objects and remove none.
  /// - Throws: `ObjectStoreError`; `CloudDataError` if the store has another container, or lacks versions that this
  ///   machine knows. In that case it removes nothing.
  public func collectGarbage(isDryRun: Bool) async throws -> GarbageReport {
    try await exclusively {
      try await session.lookAtLog()
      return try await GarbageCollection(session).run(isDryRun: isDryRun)
    }
  }
}

extension CloudContainer {
  /// The patterns of the documents that this machine always has; initially empty.
  public var keptPatterns: [String] {
    get throws { try session.folder.settings().kept ?? [] }
  }

  /// Sets which documents this machine always has. Each `sync()` downloads those that are placeholders.
  ///
  /// The setting is for this machine only. It removes no content from the machine.
  ///
  /// - Parameter patterns: patterns of names in the form of a `.gitignore`, such as `Travel/`. All documents match `*`.
  ///   Without patterns, `sync()` downloads only the documents that a program asked for.
  /// - Throws: `invalidName` for a pattern of more than one line; `busy`; the system's reasons.
  public func keepHere(_ patterns: [String]) async throws {
    if let pattern = patterns.first(where: { $0.isEmpty || $0.contains(where: \.isNewline) }) {
      throw FilePackageError(.invalidName, .save, document: pattern, reason: "it is no pattern of one line")
    }
    try await exclusively {
      var settings = try session.folder.settings()
      settings.kept = patterns.isEmpty ? nil : patterns
      try await session.folder.replace(settings)
    }
  }
}
