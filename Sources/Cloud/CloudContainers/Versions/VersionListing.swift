/// The versions that the container has of one document.
public struct VersionListing: Sendable {
  /// The versions, the last one first.
  public internal(set) var versions: [CloudVersion] = []
  /// The versions that other machines keep, by the names of the machines. The container has only their names.
  public internal(set) var elsewhere: [MachineVersions] = []
  /// The errors of versions that cannot be read.
  public internal(set) var problems: [any Error] = []

  /// Notes what each other machine told with its last version.
  mutating func noteVersions(besides device: String) {
    var told: Set<String> = [device]
    for version in versions where told.insert(version.device).inserted && !version.kept.isEmpty {
      elsewhere.append(
        MachineVersions(device: version.device, deviceName: version.deviceName, versions: version.kept))
    }
    elsewhere.sort { ($0.deviceName, $0.device) < ($1.deviceName, $1.device) }
  }
}
