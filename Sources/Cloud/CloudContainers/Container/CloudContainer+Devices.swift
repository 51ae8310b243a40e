import FilePackages
public import FoundationEssentials
public import ObjectStores

/// A machine with a folder of a container.
public struct CloudDevice: Sendable, Hashable {
  /// The random identity of the folder in the container.
  public var id: String
  /// The name for people; empty if its object cannot be read, or is damaged.
  public var name: String
  /// The time when the machine last uploaded something or listed all documents. It may be an hour too early.
  public var lastSeen: Date
  /// Whether it is this machine.
  public var isCurrent: Bool
  /// The error of reading the name.
  public var problem: ObjectStoreError?
}

extension CloudContainer {
  /// Returns the machines of the container, the one with the latest `lastSeen` first.
  ///
  /// A machine whose object the store refuses is listed without a name, and with the `problem`.
  ///
  /// Cost: two listings, and a read for each machine.
  ///
  /// - Throws: `ObjectStoreError`; `CancellationError`.
  public func devices() async throws -> [CloudDevice] {
    let session = session
    var objects: [StoredObject] = []
    try await session.store.listAll(ContainerSession.devicePrefix) { page in
      objects += page.filter { $0.key.segments.count == 2 }
      return true
    }
    let removed = try await session.feed.removedDevices()
    let devices = try await concurrentMap(objects, BlobStore.maximumCalls) { object -> CloudDevice? in
      let id = object.key.segments.last.map(String.init) ?? ""
      if removed.contains(id) { return nil }
      var device = CloudDevice(
        id: id, name: "", lastSeen: object.modificationDate, isCurrent: id == session.settings.device)
      do {
        let bytes = try await session.store.get(object.key, limit: CloudDevice.maximumSize)
        guard let bytes else { return nil }
        device.name = String(decoding: bytes, as: UTF8.self)
      } catch let error as ObjectStoreError {
        device.problem = error
      }
      return device
    }
    return devices.compactMap { $0 }.sorted { ($0.lastSeen, $1.id) > ($1.lastSeen, $0.id) }
  }

  /// Gives this machine another name. Its versions have the new name after the folder is opened again.
  ///
  /// - Throws: `invalidName` for a name that is empty, or longer than 200 bytes; `ObjectStoreError`; `busy`.
  public func renameDevice(to name: String) async throws {
    guard (1...CloudDevice.maximumNameSize).contains(name.utf8.count) else {
      throw FilePackageError(.invalidName, .move, document: name)
    }
    try await exclusively {
      var settings = session.settings
      settings.deviceName = name
      try await session.folder.replace(settings)
      try await session.store.put(Data(name.utf8), at: ContainerSession.key(ofDevice: settings.device))
    }
  }

  /// Removes another machine from the container: its next `sync()` fails with the code `removed`. Its documents stay
  /// on it.
  ///
  /// A machine of an encrypted container still has the key.
  ///
  /// - Parameter id: the identity of the machine.
  /// - Throws: `noSuchFile` if the container has no such machine; `unsupported` for this machine, which can `leave()`;
  ///   `ObjectStoreError`; `busy`.
  public func removeDevice(_ id: String) async throws {
    guard id != session.settings.device else {
      throw FilePackageError(
        .unsupported, .delete, document: url.path,
        reason: "a machine does not remove itself; it leaves the container")
    }
    guard try await devices().contains(where: { $0.id == id }) else {
      throw FilePackageError(
        .noSuchFile, .delete, document: url.path,
        reason: "the container has no machine '\(displayString(id))'")
    }
    try await exclusively {
      try await session.feed.remove(id)
      try await session.store.delete(ContainerSession.key(ofDevice: id))
    }
  }
}

extension CloudDevice {
  fileprivate static let maximumNameSize = 200
  fileprivate static let maximumSize = 4 << 10
}

extension CloudDevice: CustomStringConvertible {
  /// One line for a user.
  public var description: String { "\(displayString(name)) (\(id))\(isCurrent ? ", this machine" : "")" }
}
