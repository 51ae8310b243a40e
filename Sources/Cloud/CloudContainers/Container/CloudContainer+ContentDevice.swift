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
    if let head = try session.head(of: record), head.root == base { return head.contentDeviceName }
    let earlier = try await session.state.earlierHeads(of: record.id).lazy
      .compactMap { try? CloudVersion(decoding: $0) }  // A damaged version names no device.
    return earlier.first { $0.root == base }?.contentDeviceName
  }
}
