import DurableIO
import FilePackages
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A file synchroniser")
struct FileSynchronizerTests {
  /// If the last of its own threads released it, that thread would wait for itself, for ever.
  @Test func `that is given up waits for what it has begun`() async throws {
    try await withTemporaryDirectory { folder in
      let isDone = Mutex(false)
      let disk = CountingDisk(PosixDisk()) { event in
        guard event.operation == .synchronize else { return }
        usleep(100_000)
        isDone.withLock { $0 = true }
      }
      let folder = try disk.openDirectory(at: folder)
      do {
        let synchronizer = FileSynchronizer(on: disk)
        synchronizer.add(try disk.createFile("a", in: folder, mode: 0o600))
      }
      #expect(isDone.withLock { $0 })
    }
  }
}
