import Dispatch
import DurableIO
import FilePackages
import Glibc
import Synchronization
import TestSupport
import Testing

@Suite("A file synchroniser", .temporaryDirectory)
struct FileSynchronizerTests {
  /// If the last of its own threads released it, that thread would wait for itself, for ever.
  @Test func `that is given up waits for what it has begun`() throws {
    let isDone = Mutex(false)
    let isBegun = DispatchSemaphore(value: 0)
    let disk = CountingDisk(PosixDisk()) { event in
      guard event.operation == .synchronize else { return }
      isBegun.signal()
      usleep(100_000)
      isDone.withLock { $0 = true }
    }
    let folder = try disk.openDirectory(at: folder)
    do {
      let synchronizer = FileSynchronizer(on: disk)
      synchronizer.add(try disk.createFile("a", in: folder, mode: 0o600))
      isBegun.wait()
    }
    #expect(isDone.withLock { $0 })
  }

  /// Otherwise a thousand documents that are saved at once would wait for each other.
  @Test(.timeLimit(.minutes(60))) func `does itself what no other thread can begin`() async throws {
    let disk = CountingDisk(PosixDisk())
    let folder = try disk.openDirectory(at: folder)
    try withEveryThreadBusy {
      let synchronizer = FileSynchronizer(on: disk)
      for index in 0..<100 {
        synchronizer.add(try disk.createFile(FileName("\(index)"), in: folder, mode: 0o600))
      }
      try synchronizer.finish()
    }
    #expect(disk.counts[.synchronize] == 100)
  }
}
