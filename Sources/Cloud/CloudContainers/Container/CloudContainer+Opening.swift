public import Documents
import FilePackages
public import FoundationEssentials

extension CloudContainer: DocumentProvider {
  /// Downloads the document at `url` if it is a placeholder of this container, and waits for it.
  ///
  /// While another process works on the folder, the call asks that process for the content and waits, for 100 seconds
  /// at most.
  ///
  /// - Throws: as `download(itemNamed:)`; `CancellationError`.
  public func provide(
    itemAt url: URL, progress: @escaping @Sendable (_ completed: UInt64, _ total: UInt64) -> Void
  ) async throws {
    // Another place, or a name that no document of a container has.
    guard let name = try? name(ofItemAt: url), try FolderScan.document(name, in: session.folder) == nil,
      let record = try await session.placedIfAny(name)
    else { return }
    let observer = session.transfers.observe(record.id) { progress($0.completedBytes, $0.totalBytes) }
    defer { session.transfers.endObserving(observer) }
    for attempt in 1... {
      do {
        return try await download(itemNamed: name)
      } catch let error as FilePackageError where error.code == .busy && attempt < 20 {
        // The other process brings it with its next step, or ends and lets this one bring it.
        try await startDownloading(itemNamed: name)
        if try FolderScan.document(name, in: session.folder) != nil { return }
      }
    }
  }
}
