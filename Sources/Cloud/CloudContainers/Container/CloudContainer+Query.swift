public import Documents
import DurableIO
import FilePackages
import FoundationEssentials
package import SystemPackage

extension CloudContainer {
  /// Returns a query of the documents of the container, with placeholders, for types and an order.
  ///
  /// Its items have `ubiquitousAttributes`. It reports changes of documents in the folder and operations of this object
  /// with their progress. Every `pollInterval` it looks for operations of other processes. It sends no request to the
  /// store.
  ///
  /// Cost: as `items()`, for each batch of changes.
  public func query(
    for contentTypes: [UTType] = [], sortedBy order: DocumentSearch.Order? = nil,
    options: DocumentQuery.Options = DocumentQuery.Options(),
    where predicate: (@Sendable (DocumentItem) -> Bool)? = nil
  ) -> DocumentQuery {
    DocumentQuery(
      DocumentSearch(in: [url], for: contentTypes, sortedBy: order, where: predicate), of: self,
      options: options)
  }
}

extension CloudContainer: DocumentSource {
  package var sourceRoot: FilePath { session.folder.path.lexicallyNormalized() }

  package func sourceDocuments() async throws -> [SourceDocument] {
    try await placedItems().items.map { placed, item in
      SourceDocument(
        id: placed.record.id, path: try session.folder.path(of: item.name).lexicallyNormalized(),
        isPackage: item.isPackage,
        node: placed.local.map { ($0.device, $0.node.inode, $0.node.born) },
        modified: FileTime(item.modificationDate), size: item.size ?? 0, attributes: item.attributes)
    }
  }

  package func changes(every interval: Duration) -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let folder = DocumentQuery(DocumentSearch(in: [url]))
    folder.start()
    let tasks = [
      Task { [changed = self.changed.listen()] in for await _ in changed { continuation.yield() } },
      Task { [progress = session.transfers.changes.listen()] in
        for await _ in progress { continuation.yield() }
      },
      Task {
        for await update in folder { if case .updated = update { continuation.yield() } }
        await folder.stop()
      },
      Task { [state = session.state] in
        var known = try await state.foreignChanges()
        while true {
          try await Task.sleep(for: interval)
          let now = try await state.foreignChanges()
          if now != known { continuation.yield() }
          known = now
        }
      },
    ]
    continuation.onTermination = { _ in for task in tasks { task.cancel() } }
    return stream
  }
}

extension FileTime {
  /// A date to the millisecond; 1970 for none.
  fileprivate init(_ date: Date?) {
    let milliseconds = date?.milliseconds ?? 0
    self.init(
      seconds: milliseconds / 1000, nanoseconds: UInt32(max(0, milliseconds % 1000)) * 1_000_000)
  }
}
