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
  public func repair(reads: Bool = false) async throws -> RepairReport {
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
