import DurableIO
import FilePackages
public import FoundationEssentials
public import ObjectStores

/// The documents of one user, in an object store and in a folder of each machine.
///
/// Documents in the container folder are ordinary packages and files, which every program can read. `sync()` exchanges
/// their changes with the store. A document whose content is not on this machine is a placeholder: `items()` lists it.
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

  /// Makes a folder a container folder, and makes the container if the store has none.
  ///
  /// It first probes the store: one that lets two writers make the same object would lose versions.
  ///
  /// - Parameters:
  ///   - folder: an existing folder. The first `sync()` uploads its documents.
  ///   - address: the store's address without a secret, for the settings of the folder.
  ///   - options: further values that the address needs, such as an endpoint.
  ///   - deviceName: the name of this machine for people.
  ///   - secret: the secret that opens an encrypted container; nil for one that is not encrypted. A passphrase also
  ///     encrypts a new container.
  /// - Throws: `fileExists` if the folder belongs to a container already; `ObjectStoreError`, with the code `unsound`
  ///   for a store that cannot hold a container; `CloudDataError` with the code `locked` for a missing or wrong secret,
  ///   or with `notEncrypted` for a secret of a container that is not encrypted; `invalidName` as `renameDevice(to:)`.
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
    if let deviceName { try CloudDevice.check(deviceName) }
    try ContainerPlace(folder: folder).check()
    let (container, key) = try await ContainerMark(store).join(with: secret)
    let device = UUID().uuidString.lowercased().prefix(8)
    var settings = ContainerFolder.Settings(
      address: address, options: options, container: container, device: String(device),
      deviceName: deviceName ?? Environment.current.computer())
    settings.isEncrypted = key == nil ? nil : true
    try await folder.make(settings, key: key)
    let opened = try await open(folder, store, enclosesSmall: enclosesSmall, now: now)
    try await opened.session.noteProbe()
    try await opened.session.noteFolder()
    return opened
  }

  /// Opens a container folder.
  ///
  /// - Throws: `noSuchFile` if the folder belongs to no container; `invalidContent` if its key is missing.
  public static func open(_ folder: URL, in store: any ObjectStore) async throws -> CloudContainer {
    try await open(ContainerFolder(folder), store, now: { Date() })
  }

  package static func open(
    _ folder: ContainerFolder, _ store: any ObjectStore, rules: LogRules = .all,
    enclosesSmall: Bool = true, now: @escaping @Sendable () -> Date
  ) async throws -> CloudContainer {
    let settings = try folder.settings()
    let key = try folder.key(of: settings)
    let state = try ContainerState(at: folder.statePath)
    return CloudContainer(
      ContainerSession(
        folder: folder, settings: settings, state: state,
        store: key.map { EncryptedStore(store, key: $0) } ?? store, key: key, rules: rules,
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

  /// Uploads the changes of the container folder, and applies the changes of other machines to it.
  ///
  /// It first probes a store whose address or endpoint has changed.
  ///
  /// - Returns: the work on each document. It includes documents that failed, which do not stop the run.
  /// - Throws: `ObjectStoreError`; `busy` if another process works on the folder; `CancellationError`.
  @discardableResult
  public func sync() async throws -> SyncReport {
    try await exclusively { try await session.sync() }
  }

  /// Returns the work that a `sync()` of this moment would do. It changes nothing, on this machine and in the store.
  ///
  /// A document that both sides changed is `merged`, whether or not that ends in a conflict.
  ///
  /// Cost: that of a `sync()` without the content of documents.
  ///
  /// - Throws: as `sync()`. It does not probe a store.
  public func plan() async throws -> SyncReport {
    try await exclusively { try await session.planning().sync() }
  }

  /// Runs an operation while no other one runs, in this process or in another one.
  ///
  /// - Parameter inCopy: whether the operation also runs in a copy of a container folder.
  package func exclusively<Result: Sendable>(
    inCopy: Bool = false, _ body: () async throws -> Result
  ) async throws -> Result {
    try await turn.waitUnlessCancelled()
    let result: Swift.Result<Result, any Error>
    do {
      let lock = try await lock()
      do {
        if !inCopy {
          try await session.checkFolder()
          try session.checkPlace()
        }
        session.begin()
        let value = try await body()
        try await session.known.flush()
        result = .success(value)
      } catch {
        result = .failure(try session.state.setAside() ?? error)
      }
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
    if let obstacle = session.state.obstacle {
      throw FilePackageError(
        .unsupported, .open, document: url.path, reason: "its state cannot be written: \(obstacle)")
    }
    for _ in 0..<100 {
      if let lock = try session.folder.lock() { return lock }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw FilePackageError(
      .busy, .open, document: url.path, reason: "another process brings the folder up to date")
  }
}
