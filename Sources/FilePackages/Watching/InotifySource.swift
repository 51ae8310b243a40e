package import Dispatch
package import DurableIO

/// A reader of an inotify descriptor, which reads when there are events and closes it at the end.
package final class InotifySource {
  private final class Instance: Sendable {
    let inotify: Inotify

    init(_ inotify: consuming Inotify) { self.inotify = inotify }
  }

  private let instance: Instance
  private let source: any DispatchSourceRead

  package var inotify: Inotify { _read { yield instance.inotify } }

  package init(
    _ inotify: consuming Inotify, on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void
  ) {
    let number = inotify.number
    let instance = Instance(inotify)
    self.instance = instance
    let source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
    source.setEventHandler(handler: handler)
    // The descriptor stays open until the last event is handled.
    source.setCancelHandler { withExtendedLifetime(instance) {} }
    self.source = source
    source.activate()
  }

  deinit { source.cancel() }
}
