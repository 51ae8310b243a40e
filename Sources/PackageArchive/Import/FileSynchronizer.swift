import Dispatch
import DurableIO
import Synchronization
import SystemPackage

/// Puts files on the medium while others are still being written: many at once, since a file system makes them last
/// together.
final class FileSynchronizer: Sendable {
  private let disk: any Disk
  /// Each has a thread of its own while it has work.
  private let queues = (0..<16).map { _ in DispatchQueue(label: "com.filepackages.synchronize") }
  private let count = Atomic(0)
  private let places = DispatchSemaphore(value: 32)
  private let group = DispatchGroup()
  private let problem = Mutex<SystemError?>(nil)

  init(on disk: any Disk) {
    self.disk = disk
  }

  private final class OpenFile: Sendable {
    let descriptor: OwnedDescriptor

    init(_ descriptor: consuming OwnedDescriptor) {
      self.descriptor = descriptor
    }
  }

  /// Has a file synchronised and closed; waits while there are many under way.
  func add(_ file: consuming OwnedDescriptor) {
    places.wait()
    let file = OpenFile(file)
    let number = count.wrappingAdd(1, ordering: .relaxed).oldValue
    queues[number % queues.count].async(group: group) {
      do throws(SystemError) {
        try self.disk.synchronize(file.descriptor)
      } catch {
        self.problem.withLock { $0 = $0 ?? error }
      }
      self.places.signal()
    }
  }

  /// Waits for all.
  ///
  /// - Throws: the first error.
  func finish() throws(SystemError) {
    group.wait()
    if let problem = problem.withLock({ $0 }) { throw problem }
  }

  deinit {
    group.wait()
  }
}
