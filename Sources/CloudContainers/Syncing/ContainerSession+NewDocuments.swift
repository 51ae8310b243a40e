import FilePackages

// A new document that has its name alone changes no other one. So many of them go to the container at once.

extension ContainerSession {
  /// The bytes of a new document from which on it waits for its turn. The pieces of several large ones would be in memory.
  private static let largeSize: UInt64 = 1 << 20

  /// Returns whether a document is new, and no other one has its name.
  func isIndependent(_ document: KnownDocument, _ names: LiveNames) -> Bool {
    let record = document.record
    return document.local != nil && record.head == nil && record.base == nil && record.pending == nil
      && !names.isTaken(DocumentName.folded(record.name), byOthersThan: record.id)
  }

  /// Brings new documents to the container, eight at once.
  ///
  /// - Returns: the outcomes, in order.
  func uploadNew(
    _ documents: [KnownDocument], among names: LiveNames
  ) async throws -> [(outcome: SyncReport.Document, record: DocumentRecord)] {
    if documents.isEmpty { return [] }
    if !isRehearsal { try await measureClock() }
    let turn = ConcurrencyLimit(1)
    return try await concurrentMap(documents, BlobStore.maximumCalls) { document in
      let (record, local) = (document.record, document.local)
      // If the look fails, the document looks again, and has the error.
      let seen = if let local { try? await look(local, record) } else { nil as LocalTree? }
      if let seen, seen.newSize < Self.largeSize {
        return try await sync(record, local, seen: seen, among: names)
      }
      return try await turn.inTurn { try await sync(record, local, seen: seen, among: names) }
    }
  }
}
