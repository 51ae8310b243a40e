import DurableIO
import SystemPackage
import TestSupport
import Testing

@Suite("A disk that fails", .tags(.crash))
struct FaultyDiskTests {
  @Test func `fails one request, and goes on`() throws {
    let base = try CrashDisk()
    let faulty = FaultyDisk(base, .request(2), with: .noSpace)
    let root = try faulty.disk.openDirectory(at: "/")
    let names: [FileName] = ["a", "b", "c"]
    let reasons = names.map { name in reason { try faulty.disk.makeDirectory(name, in: root, mode: 0o755) } }
    #expect(reasons == [nil, .noSpace, nil])
    #expect(base.tree == ["a": [:], "c": [:]])
    #expect(faulty.injectedFailures == 1)
  }

  @Test func `fails all requests from one on`() throws {
    let faulty = try FaultyDisk(CrashDisk(), .requests(from: 1))
    let root = try faulty.disk.openDirectory(at: "/")
    #expect(reason { _ = try faulty.disk.list(root) } == .ioError)
    #expect(reason { _ = try faulty.disk.status(of: root) } == .ioError)
    #expect(faulty.injectedFailures == 2)
  }

  @Test func `fails the requests of one kind`() throws {
    let base = try CrashDisk()
    let faulty = FaultyDisk(base, .operation(.synchronize, from: 1))
    let root = try faulty.disk.openDirectory(at: "/")
    func request() -> Errno? { reason { try faulty.disk.synchronize(root) } }
    #expect(request() == nil)
    try faulty.disk.makeDirectory("a", in: root, mode: 0o755)
    #expect(request() == .ioError)
    #expect(request() == .ioError)
    #expect(faulty.injectedFailures == 2)
    // The disk has made nothing durable.
    #expect(base.crashStates().count == 2)
  }

  @Test func `fails each request in turn until a run meets no failure`() async throws {
    var runs: [Int] = []
    let failures = try await withEachRequestFailing(.noSpace, on: { try CrashDisk() }) { disk, number in
      runs.append(number)
      let reason = reason {
        let root = try disk.openDirectory(at: "/")
        try disk.makeDirectory("a", in: root, mode: 0o755)
        try disk.synchronize(root)
      }
      #expect(reason == (number < 3 ? .noSpace : nil))
      #expect(disk.counts.total == min(number + 1, 3))
    }
    #expect(failures == 3)
    #expect(runs == [0, 1, 2, 3])
  }

  @Test func `ends the runs with the error that a check throws`() async throws {
    await #expect(throws: CancellationError.self) {
      try await withEachRequestFailing(on: { try CrashDisk() }) { _, _ in throw CancellationError() }
    }
  }
}
