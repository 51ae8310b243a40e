import FilePackages

extension CloudContainer {
  /// Returns the name of the device whose edit the content here is: this one, if the content is not in the container.
  ///
  /// nil if no document is here, or if no version that this machine knows has the content. Asks the store for nothing.
  public func contentDevice(ofItemNamed name: String) async throws -> String? {
    guard let record = try await session.placedIfAny(name),
      let local = try FolderScan.document(name, in: session.folder)
    else { return nil }
    guard let base = session.base(of: record), try await session.look(local, record).isUnchanged else {
      return session.settings.deviceName
    }
    return try await session.state.versions(of: record.id).first { $0.root == base }?.contentDeviceName
  }
}
