import FilePackages

extension CloudContainer {
  /// Looks at all versions in the container, and at all objects that they need.
  ///
  /// - Parameter reads: whether to read every object; otherwise the store only has to list it.
  /// - Throws: `ObjectStoreError`. Missing and damaged objects are in the report, and also
  ///   that the store is empty, has another container, or was rolled back.
  public func check(reads: Bool = false) async throws -> CheckReport {
    try await ContainerCheck(session).run(reads: reads)
  }

  /// Stores again what this machine has and the store lost or damaged: the container's identity, versions, and the
  /// content of documents that are here.
  ///
  /// - Parameter reads: whether to read all content, to find damage that a listing does not show.
  /// - Throws: `ObjectStoreError`; `CloudDataError` if the store has another container, or nothing of this one.
  public func repair(reads: Bool = false) async throws -> ContainerRepairReport {
    try await exclusively { try await ContainerRepair(session).run(reads: reads) }
  }

  /// Removes versions that were replaced more than thirty days ago, and objects that no version needs.
  ///
  /// - Parameter isDryRun: whether only to count.
  /// - Throws: `ObjectStoreError`; `CloudDataError` if the store is not this container's, or lacks versions that this
  ///   machine knows. Nothing is removed then.
  public func collectGarbage(isDryRun: Bool) async throws -> GarbageReport {
    try await exclusively { try await GarbageCollection(session).run(isDryRun: isDryRun) }
  }
}

extension CloudContainer {
  /// The patterns of the documents that this machine always has. At first there are none.
  public var keptPatterns: [String] {
    get throws { try session.folder.settings().kept ?? [] }
  }

  /// Sets which documents this machine always has. Each `sync()` downloads those that are not here.
  ///
  /// The setting is one of this machine. Documents that are here stay.
  ///
  /// - Parameter patterns: patterns of names in the form of a `.gitignore`, such as `Travel/`.
  ///   All documents match `*`. Without patterns each run downloads those that a program asked for.
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
