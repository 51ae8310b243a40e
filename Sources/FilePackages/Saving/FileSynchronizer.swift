import Dispatch
package import DurableIO
import Synchronization
import SystemPackage

/// Syncs files while other files are still being written.
///
/// It syncs many at once, since a file system makes them durable together.
package final class FileSynchronizer: Sendable {
  /// The first file that could not be synchronised, and its error.
  package typealias Failure = (path: PackagePath, error: SystemError)

  /// The queues, each with a thread of its own while it has work.
  private let queues = (0..<16).map { _ in DispatchQueue(label: "com.filepackages.synchronize") }
  private let count = Atomic(0)
  private let group = DispatchGroup()
  private let work: Work

  package init(on disk: any Disk) {
    work = Work(on: disk)
  }

  /// The state that the threads hold instead of the synchroniser.
  ///
  /// The synchroniser's deinit waits for the threads, so none of them may run it.
  private final class Work: Sendable {
    let disk: any Disk
    let places = DispatchSemaphore(value: 32)
    let failure = Mutex<Failure?>(nil)

    init(on disk: any Disk) {
      self.disk = disk
    }

    func synchronize(_ file: OpenFile, at path: PackagePath) {
      do throws(SystemError) {
        try disk.synchronize(file.descriptor)
      } catch {
        failure.withLock { if $0 == nil { $0 = (path: path, error: error) } }
      }
      places.signal()
    }
  }

  private final class OpenFile: Sendable {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = descriptor
    }
  }

  /// Syncs and closes a file on another thread; waits while 32 files are under way.
  ///
  /// - Parameter path: the file's name in a failure.
  package func add(_ file: consuming OwnedDescriptor, at path: PackagePath = .root) {
    work.places.wait()
    let file = OpenFile(file)
    let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
    queues[number % queues.count].async(group: group) { [work] in work.synchronize(file, at: path) }
  }

  /// Waits for all files.
  ///
  /// - Throws: the first error.
  package func finish() throws(SystemError) {
    if let failure = wait() { throw failure.error }
  }

  /// Waits for all files.
  package func wait() -> Failure? {
    group.wait()
    return work.failure.withLock { $0 }
  }

  deinit {
    group.wait()
  }
}
