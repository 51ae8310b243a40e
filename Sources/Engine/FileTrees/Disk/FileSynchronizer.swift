import Dispatch
package import DurableIO
package import PackageFormat
import Synchronization
import SystemPackage

/// Syncs files on other threads, many at once: a file system makes them durable together.
///
/// The caller's thread does what no other thread has begun. So it waits for running threads only: a process that saves
/// a thousand documents at once has no thread left that could begin anything.
package final class FileSynchronizer: Sendable {
  /// A file that could not be synchronised, and its error.
  package typealias Failure = (path: PackagePath, error: SystemError)

  /// The number of files that are synchronised at once.
  package static let width = 16
  /// The number of files that may wait, each with its descriptor.
  private static let mostWaiting = 32

  private let work: Work

  package init(on disk: any Disk) { work = Work(on: disk) }

  /// The state that the threads hold instead of the synchroniser.
  ///
  /// The synchroniser's deinit waits for the threads, so none of them may run it.
  private final class Work: Sendable {
    struct State {
      var waiting: [(file: OpenNode, path: PackagePath)] = []
      /// The number of threads that look for files, or will.
      var threads = 0
      var failures: [Failure] = []
    }

    let disk: any Disk
    let state = Mutex(State())
    /// The files that a thread has begun.
    let begun = DispatchGroup()

    init(on disk: any Disk) {
      self.disk = disk
    }

    /// Syncs the file that waits longest; false if none waits.
    func synchronizeNext() -> Bool {
      let next = state.withLock { state in
        if state.waiting.isEmpty { return nil as (file: OpenNode, path: PackagePath)? }
        begun.enter()
        return state.waiting.removeFirst()
      }
      guard let next else { return false }
      synchronize(next.file, at: next.path)
      begun.leave()
      return true
    }

    func synchronize(_ file: OpenNode, at path: PackagePath) {
      do throws(SystemError) {
        try disk.synchronize(file.descriptor)
      } catch {
        state.withLock { $0.failures.append((path: path, error: error)) }
      }
    }
  }

  /// Syncs a file on another thread, and closes it if nothing else holds it.
  ///
  /// While 32 files wait, this thread syncs one.
  ///
  /// - Parameter path: the file's name in a failure.
  package func add(_ file: OpenNode, at path: PackagePath = .root) {
    let (needsThread, isFull) = work.state.withLock { state in
      state.waiting.append((file, path))
      let needsThread = state.threads < Self.width
      if needsThread { state.threads += 1 }
      return (needsThread, state.waiting.count > Self.mostWaiting)
    }
    if needsThread {
      // A queue of its own has a thread of its own.
      DispatchQueue(label: "com.filepackages.synchronize").async { [work] in
        while work.synchronizeNext() {}
        work.state.withLock { $0.threads -= 1 }
      }
    }
    if isFull { _ = work.synchronizeNext() }
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
    while work.synchronizeNext() {}
    work.begun.wait()
    return work.state.withLock { $0.failures }
  }

  deinit {
    work.state.withLock { $0.waiting = [] }
    work.begun.wait()
  }
}
