import Dispatch
package import DurableIO
import Synchronization
import SystemPackage

/// Puts files on the medium while others are still being written: many at once, since a file system makes them last
/// together.
package final class FileSynchronizer: Sendable {
  /// Each has a thread of its own while it has work.
  private let queues = (0..<16).map { _ in DispatchQueue(label: "com.filepackages.synchronize") }
  private let count = Atomic(0)
  private let group = DispatchGroup()
  private let work: Work

  package init(on disk: any Disk) {
    work = Work(on: disk)
  }

  /// What the threads hold, rather than the synchroniser: it waits for them when it goes, which none of them may do.
  private final class Work: Sendable {
    let disk: any Disk
    let places = DispatchSemaphore(value: 32)
    let problem = Mutex<SystemError?>(nil)

    init(on disk: any Disk) {
      self.disk = disk
    }

    func synchronize(_ file: OpenFile) {
      do throws(SystemError) {
        try disk.synchronize(file.descriptor)
      } catch {
        problem.withLock { $0 = $0 ?? error }
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

  /// Has a file synchronised and closed; waits while there are many under way.
  package func add(_ file: consuming OwnedDescriptor) {
    work.places.wait()
    let file = OpenFile(file)
    let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
    queues[number % queues.count].async(group: group) { [work] in work.synchronize(file) }
  }

  /// Waits for all.
  ///
  /// - Throws: the first error.
  package func finish() throws(SystemError) {
    group.wait()
    if let problem = work.problem.withLock({ $0 }) { throw problem }
  }

  deinit {
    group.wait()
  }
}
