import FilePackages
public import FoundationEssentials
public import ObjectStores

extension CloudContainer {
  /// Gives a container folder another store: another address of the same one, or a copy of it.
  ///
  /// It first probes the new store, which must have the folder's container. The next `sync()` compares all versions
  /// with those that this machine knows, and uploads the versions that the new store lacks.
  ///
  /// - Parameters:
  ///   - folder: a container folder.
  ///   - store: the new store.
  ///   - address: the new store's address without a secret, for the settings of the folder.
  ///   - options: further values that the address needs, such as an endpoint.
  ///   - old: the store to copy all objects from; nil if the new store has them. A copy that was cut short can be
  ///     repeated, and sends only missing objects. The objects in the old store stay. It also gets a mark with the new
  ///     address: the next `sync()` of each other machine fails with the code `moved`, and names that address.
  /// - Returns: the number of copied objects, and whether the old store has the mark.
  /// - Throws: `CloudDataError` if the new store has no container or another one; `ObjectStoreError`; `busy`. After an
  ///   error the folder still has its old store.
  @discardableResult
  public static func relocate(
    _ folder: URL, to store: any ObjectStore, address: String, options: [String: String] = [:],
    copyingFrom old: (any ObjectStore)? = nil
  ) async throws -> RelocationReport {
    let container = try await open(folder, in: store)
    return try await container.exclusively {
      try await StoreProbe(store).check()
      let session = container.session
      var settings = session.settings
      var report = RelocationReport()
      if let old {
        let copy = StoreCopy(source: old, target: store, container: settings.container, key: session.key)
        report.copied = try await copy.run()
      }
      try await session.checkMark()
      // The facts about the old store say nothing about the new one. If the process ends here, the next run
      // looks once more at the old one.
      try await session.known.forget()
      try await session.state.set(.lastListing, to: 0)
      try await session.state.set(.clockMeasured, to: 0)
      if let old {
        report.problem = await tellMove(from: old, to: address, session).map { sentence(of: $0) }
        report.isTold = report.problem == nil
      }
      (settings.address, settings.options) = (address, options)
      try await session.folder.replace(settings)
      return report
    }
  }

  /// Marks the old store, so that the other machines learn of the new one with their next look at the news.
  ///
  /// - Returns: the reason why it does not: the mark is damaged, or the store takes no objects any more, as a disk that
  ///   fails.
  private static func tellMove(
    from old: any ObjectStore, to address: String, _ session: ContainerSession
  ) async -> (any Error)? {
    do {
      let mark = ContainerMark(old)
      guard var record = try await mark.find() else { return mark.error(.missing) }
      record.movedTo = address
      try await mark.replace(record)
      try await ContainerFeed(old).unmark(session.settings.container)
      return nil
    } catch {
      return error
    }
  }
}

/// The outcome of a relocation.
public struct RelocationReport: Sendable, Hashable {
  /// The number of objects that were copied.
  public internal(set) var copied = 0
  /// Whether the old store has a mark that tells the other machines the new address. If not, their users need it.
  public internal(set) var isTold = false
  /// The reason why the old store has no such mark, in a sentence; nil if it has one, or if nothing was copied.
  public internal(set) var problem: String?
}
