import FoundationEssentials
import ObjectStores

// A device packs the versions that it made, and those that it read one by one because a listing had them and no pack.
// So two devices rarely pack the same version. A version in no pack costs a new device one request.

extension ContainerSession {
  /// Stores the last versions that no pack has, if they are many.
  func packHeads() async throws {
    guard try await state.unpackedCount() >= packing.writing else { return }
    let records = try await state.records().filter(\.needsPacking)
    _ = try await HeadPacks(store: store).put(entries(of: records))  // Nothing needs the keys.
    try await state.notePacked(records)
  }

  /// Stores the last versions anew in full packs, and removes the others, if there are many more packs than it takes.
  ///
  /// A device that misses a pack, or a version in it, reads the version itself. So a pack may go at any time.
  func repackHeads() async throws {
    let packs = HeadPacks(store: store)
    let old = try await packs.list()
    let records = try await state.records().filter { $0.head != nil }
    guard old.count > 2 * (records.count / HeadPack.maximumCount) + 8 else { return }
    let new = try await packs.put(entries(of: records))
    for object in old where !new.contains(object.key) { try await store.delete(object.key) }
    try await state.notePacked(records)
  }

  private func entries(of records: [DocumentRecord]) throws -> [HeadPack.Entry] {
    try records.compactMap { record in
      guard let bytes = record.head, let head = try head(of: record) else { return nil }
      return HeadPack.Entry(document: head.document, sequence: head.sequence, bytes: bytes)
    }
  }
}
