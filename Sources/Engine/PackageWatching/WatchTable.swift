// A thread may suspend and resume a source that another thread made.
@preconcurrency package import Dispatch
package import DurableIO
package import FileTrees
import PackageFormat
import SystemPackage

/// The use of one watch, which ends with the last of its users.
package protocol WatchUse {
  init()
  /// Whether the watch has no user.
  var isEmpty: Bool { get }
}

/// One inotify descriptor with its watches and their users, for an actor that runs on a queue.
///
/// It opens the descriptor for the first watch, and closes it at its own end.
package final class WatchTable<Use: WatchUse> {
  private final class Instance: Sendable {
    let inotify: Inotify

    init(_ inotify: consuming Inotify) { self.inotify = inotify }
  }

  private let queue: DispatchQueue
  private let handler: @Sendable () -> Void
  private let maximum: Int
  private var source: (instance: Instance, events: any DispatchSourceRead)?
  private var uses: [Int32: Use] = [:]

  /// - Parameters:
  ///   - maximum: the maximum number of watches; tests set it below the system's limit.
  ///   - handler: the table calls it on the queue if there are events to read.
  package init(maximum: Int, on queue: DispatchQueue, whenReadable handler: @escaping @Sendable () -> Void) {
    (self.maximum, self.queue, self.handler) = (maximum, queue, handler)
  }

  package var count: Int { uses.count }
  package subscript(_ watch: Int32) -> Use? { uses[watch] }

  /// Adds a user to the watch of a node.
  ///
  /// - Throws: ENOSPC, EMFILE or ENFILE at the system's limits; otherwise the system's error.
  package func add(
    _ add: (borrowing Inotify) throws(SystemError) -> Int32, _ note: (inout Use) -> Void
  ) throws(SystemError) -> Int32 {
    let instance = try open()
    let watch = try add(instance.inotify)
    if uses[watch] == nil && uses.count >= maximum {
      instance.inotify.remove(watch)
      throw SystemError("inotify_add_watch", code: .noSpace)
    }
    note(&uses[watch, default: Use()])
    return watch
  }

  /// Removes a user from a watch, and ends the watch after its last user.
  package func release(_ watch: Int32, _ note: (inout Use) -> Void) {
    guard var use = uses[watch] else { return }
    note(&use)
    uses[watch] = use.isEmpty ? nil : use
    if use.isEmpty { source?.instance.inotify.remove(watch) }
  }

  /// Forgets a watch that the kernel has ended.
  package func forget(_ watch: Int32) { uses[watch] = nil }

  /// Ends all watches.
  package func removeAll() {
    source?.events.cancel()
    (source, uses) = (nil, [:])
  }

  deinit { source?.events.cancel() }

  /// Reads the waiting events, in at most `count` steps.
  package func readEvents(atMost count: Int = .max, _ handle: (Inotify.Event) -> Void) {
    guard let instance = source?.instance else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
    defer { buffer.deallocate() }
    for _ in 0..<count {
      // A failed read leaves the descriptor readable, so that its handler runs again.
      guard let events = try? instance.inotify.read(into: buffer), !events.isEmpty else { return }
      for event in events { handle(event) }
    }
  }

  /// The time between two calls of the handler. A program that writes thousands of times a second wakes the thread a
  /// hundred times. The kernel makes one event of equal ones that follow each other.
  private static var pause: DispatchTimeInterval { .milliseconds(10) }

  private func open() throws(SystemError) -> Instance {
    if let instance = source?.instance { return instance }
    let instance = Instance(try Inotify.open())
    let events = DispatchSource.makeReadSource(fileDescriptor: instance.inotify.number, queue: queue)
    // The source has its handler, and the handler the source, until the source is cancelled.
    events.setEventHandler { [queue, handler] in
      handler()
      events.suspend()
      queue.asyncAfter(deadline: .now() + Self.pause) { events.resume() }
    }
    // The descriptor stays open until the last event is handled.
    events.setCancelHandler { withExtendedLifetime(instance) {} }
    events.activate()
    source = (instance, events)
    return instance
  }
}

extension FilePackageError {
  /// Makes the error for the owner of a document about a node that cannot be watched.
  package init(limitation error: SystemError, _ node: StoredNode) {
    self.init(error, .watch, node)
    if [.noSpace, .tooManyOpenFiles, .tooManyOpenFilesInSystem].contains(error.code) {
      (code, reason) = (.watchLimit, nil)
    }
  }
}
