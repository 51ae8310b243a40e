package import Documents
import DurableIO
import FilePackages
package import FoundationEssentials
import ManagedDocuments
package import ObjectStores

/// The parts of a container that one operation after the other uses.
package struct ContainerSession: Sendable {
  package let folder: ContainerFolder
  package let settings: ContainerFolder.Settings
  package private(set) var state: ContainerState
  package let log: ContainerLog
  package private(set) var known: KnownBlobs
  package private(set) var blobs: BlobStore
  /// The key of an encrypted container, by which `store` encrypts; nil if it is not.
  let key: ContainerKey?
  package private(set) var transfers = Transfers()
  /// The turns of uploads from `largeSize` on: the pieces of several ones would be in memory.
  let largeUploads = AsyncSemaphore(1)
  package let heads = DecodedHeads()
  /// The writer of the log.
  let committer = Committer()
  /// The turns of documents that look at files or move content.
  let working = AsyncSemaphore(BlobStore.maximumCalls)
  /// The largest document that an upload takes.
  let limit: TreeTotals
  /// The rules of packages whose content merges as a whole.
  let mergers: [any ContentMerger]
  /// Whether the blobs of a small document go with its version. A test of blobs leaves it out.
  let enclosesSmall: Bool
  /// Whether a run only tells its steps: see `planning`.
  private(set) var isPlan = false
  /// This machine's clock.
  package let now: @Sendable () -> Date

  package init(
    folder: ContainerFolder, settings: ContainerFolder.Settings, state: ContainerState,
    store: any ObjectStore, key: ContainerKey? = nil, rules: LogRules = .all,
    limit: TreeTotals = .limit, enclosesSmall: Bool = true,
    mergers: [any ContentMerger] = [DatabaseMerger()],
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    (self.folder, self.settings, self.state, self.now) = (folder, settings, state, now)
    (self.enclosesSmall, self.key) = (enclosesSmall, key)
    (self.limit, self.mergers) = (limit, mergers)
    log = ContainerLog(store, rules: rules)
    known = KnownBlobs(state)
    blobs = BlobStore(store, known: known)
  }

  package var store: any ObjectStore { log.store }

  /// Returns a session whose run changes nothing, here and in the store: it has a copy of the state.
  func planning() throws -> ContainerSession {
    var session = self
    (session.isPlan, session.transfers, session.state) = (true, Transfers(), try state.copy())
    session.known = KnownBlobs(session.state)
    session.blobs = BlobStore(store, known: session.known)
    return session
  }

  /// Checks that the store has this container, encrypted as this machine knows it.
  func checkMark() async throws { try await ContainerMark(store).check(settings.container, key: key) }

  // MARK: Records

  /// Returns the last known version of a document; nil before the first one.
  package func head(of record: DocumentRecord) throws -> CloudVersion? {
    guard let data = record.head else { return nil }
    do {
      return try heads.version(data, of: record.id)
    } catch {
      if error != .newerFormat { throw state.damaged(error) }
      throw CloudDataError(error.code, in: folder.url.path, reason: error.words)
    }
  }

  /// Returns the content that was here and that the container has.
  package func base(of record: DocumentRecord) -> TreeRoot? {
    record.base.flatMap { TreeRoot(bytes: ArraySlice($0)) }
  }
}

extension DocumentRecord {
  /// The document's identity, as a value.
  package var document: CloudDocumentID {
    get throws {
      guard let document = CloudDocumentID(id) else {
        throw CloudDataError(
          .invalid, in: "this machine", reason: "the state has a document without an identity")
      }
      return document
    }
  }
}
