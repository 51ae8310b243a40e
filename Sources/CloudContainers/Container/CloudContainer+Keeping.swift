extension CloudContainer {
  /// Looks at all versions in the container, and at all objects that they need.
  ///
  /// - Parameter reads: whether to read every object; otherwise the store only has to list it.
  /// - Throws: `ObjectStoreError`. Missing and damaged objects are in the report.
  public func check(reads: Bool = false) async throws -> CheckReport {
    try await ContainerCheck(session).run(reads: reads)
  }

  /// Removes versions that were replaced more than thirty days ago, and objects that no version needs.
  ///
  /// - Parameter isDryRun: whether only to count.
  /// - Throws: `ObjectStoreError`; `CloudDataError` if a version is damaged, and nothing is removed then.
  public func collectGarbage(isDryRun: Bool) async throws -> GarbageReport {
    try await exclusively { try await GarbageCollection(session).run(isDryRun: isDryRun) }
  }
}
