import FilePackages
public import FoundationEssentials

/// A machine with a folder of a container.
public struct CloudDevice: Sendable, Hashable, Encodable {
  /// The random identity of the folder in the container.
  public var id: String
  /// The name for people.
  public var name: String
  /// The time when the machine last changed the container, by its clock.
  public var lastSeen: Date
  /// Whether it is this machine.
  public var isCurrent: Bool
}

extension CloudContainer {
  /// Returns the machines of the container, the one with the latest `lastSeen` first.
  ///
  /// - Throws: the errors of `sync()`.
  public func devices() async throws -> [CloudDevice] {
    try await exclusively { try await knownDevices() }
  }

  private func knownDevices() async throws -> [CloudDevice] {
    try await session.lookAtLog()
    return try await session.state.devices().map {
      CloudDevice(
        id: $0.id, name: $0.name, lastSeen: Date(milliseconds: $0.date),
        isCurrent: $0.id == session.settings.device)
    }.sorted { ($0.lastSeen, $1.id) > ($1.lastSeen, $0.id) }
  }

  /// Gives this machine another name. Its versions have the new name after the folder is opened again.
  ///
  /// - Throws: `invalidName` for a name that is empty, or longer than 200 bytes; `ObjectStoreError`; `busy`.
  public func renameDevice(to name: String) async throws {
    try CloudDevice.check(name)
    try await exclusively {
      var settings = try session.folder.settings()
      settings.deviceName = name
      // The settings last: after an error of the store the machine has its old name everywhere.
      try await session.lookAtLog()
      try await commit(.device(settings.device, name: name))
      try await session.folder.replace(settings)
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
    try await exclusively {
      guard try await knownDevices().contains(where: { $0.id == id }) else {
        throw FilePackageError(
          .noSuchFile, .delete, document: url.path,
          reason: "the container has no machine '\(displayString(id))'")
      }
      try await commit(.device(id, name: nil))
    }
  }

  private func commit(_ change: LogEntry.Change) async throws {
    // No other change excludes it.
    _ = try await session.committer.commit(.init(change: change), in: session)
  }
}

extension CloudDevice {
  /// Checks a name for people: it has 1 to 200 bytes.
  static func check(_ name: String) throws(FilePackageError) {
    guard (1...200).contains(name.utf8.count) else {
      throw FilePackageError(.invalidName, .move, document: name)
    }
  }
}

extension CloudDevice: CustomStringConvertible {
  /// One line for a user.
  public var description: String { "\(displayString(name)) (\(id))\(isCurrent ? ", this machine" : "")" }
}
