import CloudContainers

extension CloudContainer {
  /// The identity of the container, which is the same on all machines.
  var identity: String { session.settings.container }
}
