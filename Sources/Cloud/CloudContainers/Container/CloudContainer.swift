import DurableIO
import FilePackages
public import FoundationEssentials
public import ObjectStores

/// The documents of one user, in an object store and in a folder of each machine.
///
/// Documents in the container folder are ordinary packages and files, which every program can read. `sync()` brings the
/// folder and the store together. A document whose content is not here is a placeholder: `items()` lists it.
public final class CloudContainer: Sendable {
  package let session: ContainerSession
  private let turn = AsyncSemaphore(1)
  /// Rings after each operation of this object.
  let changed = ChangeSignals()

  package init(_ session: ContainerSession) { self.session = session }

  /// The container folder.
  public var url: URL { session.folder.url }

  /// The address of the store.
  public var address: String { session.settings.address }

  /// Whether the store has only encrypted objects.
  public var isEncrypted: Bool { session.key != nil }

  // MARK: Opening

  /// Makes a folder a folder of a container, and makes the container if the store has none.
  ///
  /// First the store is probed: a store that lets two writers make the same object would lose versions.
  ///
  /// - Parameters:
  ///   - folder: an existing folder. Its documents go to the container with the first `sync()`.
  ///   - address: the store's address, as the settings keep it; it has no secret.
  ///   - options: further values that the address needs, such as an endpoint.
  ///   - deviceName: the name of this machine for people.
  ///   - secret: the secret that opens an encrypted container. A new container is encrypted if there is one.
  /// - Throws: `fileExists` if the folder belongs to a container already; `ObjectStoreError`, with the code `unsound` for
  ///   a store that cannot hold a container; `CloudDataError` with the code `locked` for another secret, or with
  ///   `notEncrypted` if there is one for a container that is not encrypted.
  public static func add(
    _ folder: URL, to store: any ObjectStore, address: String, options: [String: String] = [:],
    deviceName: String? = nil, secret: ContainerSecret? = nil
  ) async throws -> CloudContainer {
    try await StoreProbe(store).check()
    return try await add(
      ContainerFolder(folder), to: store, address: address, options: options, deviceName: deviceName,
      secret: secret, now: { Date() })
  }

  /// Makes a folder a folder of a container, in a store that was probed.
  package static func add(
    _ folder: ContainerFolder, to store: any ObjectStore, address: String, options: [String: String] = [:],
    deviceName: String?, secret: ContainerSecret? = nil, enclosesSmall: Bool = true,
    now: @escaping @Sendable () -> Date
  ) async throws -> CloudContainer {
    try ContainerPlace(folder: folder).check()
    let (container, key) = try await ContainerMark(store).join(with: secret)
    try await ContainerFeed(key.map { EncryptedStore(store, key: $0) } ?? store).mark(container)
    let device = UUID().uuidString.lowercased().prefix(8)
    var settings = ContainerFolder.Settings(
      address: address, options: options, container: container, device: String(device),
      deviceName: deviceName ?? Environment.current.computer())
    settings.isEncrypted = key == nil ? nil : true
    try await folder.make(settings, key: key)
    let opened = try await open(folder, store, enclosesSmall: enclosesSmall, now: now)
    try await opened.session.noteProbe()
    return opened
  }

  /// Opens a folder of a container.
  ///
  /// - Parameter packageExtensions: extensions, in lower case, that make a directory a document if no type says so.
  /// - Throws: `noSuchFile` if the folder belongs to no container; `invalidContent` if its key is missing.
  public static func open(
    _ folder: URL, in store: any ObjectStore, packageExtensions: Set<String> = []
  ) async throws -> CloudContainer {
    try await open(ContainerFolder(folder), store, packageExtensions: packageExtensions, now: { Date() })
  }

  package static func open(
    _ folder: ContainerFolder, _ store: any ObjectStore, checksChain: Bool = true,
    packing: HeadPacks.Limits = HeadPacks.Limits(), packageExtensions: Set<String> = [],
    asksStore: Bool = true, enclosesSmall: Bool = true, now: @escaping @Sendable () -> Date
  ) async throws -> CloudContainer {
    let settings = try folder.settings()
    let key = try folder.key(of: settings)
    let state = try ContainerState(at: folder.statePath)
    return CloudContainer(
      ContainerSession(
        folder: folder, settings: settings, state: state,
        store: key.map { EncryptedStore(store, key: $0) } ?? store, key: key, checksChain: checksChain,
        packing: packing, packageExtensions: packageExtensions, asksStore: asksStore,
        enclosesSmall: enclosesSmall, now: now))
  }

  /// The settings of a container folder, from which a program makes the store.
  ///
  /// - Throws: `noSuchFile` if the folder belongs to no container.
  public static func settings(of folder: URL) throws -> (address: String, options: [String: String]) {
    let settings = try ContainerFolder(folder).settings()
    return (settings.address, settings.options)
  }

  // MARK: Syncing

  /// Brings the folder and the store together.
  ///
  /// A store with another address or endpoint than before is probed first.
  ///
  /// - Parameter everything: whether to list all versions in the store, instead of the news alone.
  /// - Returns: the work; a document that failed is in it, and does not stop the others.
  /// - Throws: `ObjectStoreError`; `busy` if another process does the same; `CancellationError`.
  @discardableResult
  public func sync(everything: Bool = false) async throws -> SyncReport {
    try await exclusively { try await session.sync(everything: everything) }
  }

  /// Returns the work that a `sync()` of this moment would do. It changes nothing, here and in the store.
  ///
  /// A document that both sides changed is `merged`, whether or not that ends in a conflict.
  ///
  /// Cost: that of a `sync()` without the content of documents, and a copy of the state in a temporary file.
  ///
  /// - Parameter everything: whether to list all versions in the store, instead of the news alone.
  /// - Throws: as `sync()`. A store with another address than before is not probed.
  public func plan(everything: Bool = false) async throws -> SyncReport {
    try await exclusively { try await session.rehearsal().sync(everything: everything) }
  }

  /// Runs an operation while no other one runs, in this process or in another one.
  package func exclusively<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
    try await turn.waitUnlessCancelled()
    let result: Swift.Result<Result, any Error>
    do {
      let lock = try await lock()
      session.begin()
      result = .success(try await session.announcing(body))
      withExtendedLifetime(lock) {}
    } catch {
      result = .failure(error)
    }
    turn.signal()
    changed.ring()
    return try result.get()
  }

  /// Takes the folder's lock. A listing holds it for a moment, another process for a whole run.
  private func lock() async throws -> ContainerFolder.Lock {
    for _ in 0..<100 {
      if let lock = try session.folder.lock() { return lock }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw FilePackageError(
      .busy, .open, document: url.path, reason: "another process brings the folder up to date")
  }
}
