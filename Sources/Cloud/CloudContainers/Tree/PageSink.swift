import FoundationEssentials

/// The receiver of finished pages: puts many at once, and holds few in memory.
struct PageSink {
  /// The store of the pages; nil if the caller needs only the root.
  let blobs: BlobStore?
  private var waiting: [Data] = []

  init(_ blobs: BlobStore?) { self.blobs = blobs }

  mutating func add(_ page: Data) async throws {
    guard blobs != nil else { return }
    waiting.append(page)
    if waiting.count >= 4 * BlobStore.maximumCalls { try await finish() }
  }

  /// Waits until the store has all pages.
  mutating func finish() async throws {
    guard let blobs else { return }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for page in waiting { group.addTask { try await blobs.putPage(page) } }
      try await group.waitForAll()
    }
    waiting = []
  }
}
