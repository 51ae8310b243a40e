import Dispatch
package import DurableIO
package import PackageFormat
import Synchronization
import SystemPackage

/// Syncs files on other threads, many at once: a file system makes them durable together.
package final class FileSynchronizer: Sendable {
  /// A file that could not be synchronised, and its error.
  package typealias Failure = (path: PackagePath, error: SystemError)

  /// The number of files that are synchronised at once.
  package static let width = 16

  /// The queues, each with a thread of its own while it has work.
  private let queues: [DispatchQueue]
  private let count = Atomic(0)
  private let group = DispatchGroup()
  private let work: Work

  /// - Parameter files: the number of files, if it is known.
  package init(on disk: any Disk, files: Int = .max) {
    queues = (0..<min(files, Self.width)).map { _ in DispatchQueue(label: "com.filepackages.synchronize") }
    work = Work(on: disk)
  }

  /// The state that the threads hold instead of the synchroniser.
  ///
  /// The synchroniser's deinit waits for the threads, so none of them may run it.
  private final class Work: Sendable {
    let disk: any Disk
    let places = DispatchSemaphore(value: 32)
    let failures = Mutex<[Failure]>([])

    init(on disk: any Disk) {
      self.disk = disk
    }

    func synchronize(_ file: OpenNode, at path: PackagePath) {
      do throws(SystemError) {
        try disk.synchronize(file.descriptor)
      } catch {
        failures.withLock { $0.append((path: path, error: error)) }
      }
    }
  }

  /// Syncs a file on another thread, and closes it if nothing else holds it; waits while 32 files are under way.
  ///
  /// - Parameter path: the file's name in a failure.
  package func add(_ file: OpenNode, at path: PackagePath = .root) {
    work.places.wait()
    let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
    queues[number % queues.count].async(group: group) { [work] in
      work.synchronize(file, at: path)
      work.places.signal()
    }
  }

  package func add(_ file: consuming OwnedDescriptor, at path: PackagePath = .root) {
    add(OpenNode(file), at: path)
  }

  /// Syncs a file on this thread, while other threads sync the files before.
  package func synchronize(_ file: OpenNode, at path: PackagePath) { work.synchronize(file, at: path) }

  /// Waits for all files.
  ///
  /// - Throws: the first error.
  package func finish() throws(SystemError) {
    if let failure = wait().first { throw failure.error }
  }

  /// Waits for all files.
  ///
  /// - Returns: those that could not be synchronised.
  package func wait() -> [Failure] {
    group.wait()
    return work.failures.withLock { $0 }
  }

  deinit {
    group.wait()
  }
}
