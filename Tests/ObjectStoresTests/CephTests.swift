import Foundation
import Synchronization
import TestSupport
import Testing

import ObjectStores

/// The cluster that `Tests/Cloud/ceph` started.
private struct CephFixture: Sendable {
  static let folder = ProcessInfo.processInfo.environment["CEPH_FOLDER"]

  private let folder: String
  var service: S3Service

  /// Takes the cluster, and makes a bucket in it.
  init(_ bucket: String) async throws {
    folder = try #require(Self.folder)
    service = try #require(S3Service.ofEnvironment)
    service.bucket = bucket
    try await service.makeBucket()
  }

  /// Gives an order of `ceph-node`.
  func order(_ words: String...) throws {
    let run = try Program(path: "\(FileManager.default.currentDirectoryPath)/Tests/Cloud/ceph-node").run(
      [folder] + words)
    #expect(run.status == 0, "\(words): \(run.errors)")
  }

  /// A client that gives up after two seconds.
  static var impatient: HTTPClient { HTTPClient(times: .init(idle: .seconds(2))) }
}

@Suite(
  "A Ceph cluster", .serialized, .tags(.process, .scale),
  .enabled(if: CephFixture.folder != nil, "Tests/long/run ceph runs this"))
struct CephTests {
  private func expectFailure(
    _ code: ObjectStoreError.Code, _ words: String, _ call: () async throws -> Void
  ) async {
    let error = await #expect(throws: ObjectStoreError.self) { try await call() }
    #expect(error?.code == code && error?.description.contains(words) == true, "\(error?.description ?? "")")
    print("  \(error?.description ?? "no error")")
  }

  @Test func `refuses wrong keys`() async throws {
    let ceph = try await CephFixture("keys")
    var wrong = ceph.service.credentials
    wrong.secretAccessKey += "x"
    let secret = try ceph.service.store(credentials: wrong)
    await expectFailure(.unauthorized, "Check the access key") { try await secret.put(Data(), at: "a") }
    let unknown = try ceph.service.store(credentials: .init(accessKeyID: "AKNOBODY", secretAccessKey: "x"))
    await expectFailure(.unauthorized, "Check the access key") { _ = try await unknown.get("a") }
  }

  @Test(arguments: [-3_600.0, 3_600.0])
  func `refuses a clock that is an hour off`(seconds: Double) async throws {
    let ceph = try await CephFixture("clock")
    let store = try ceph.service.store(now: { Date().addingTimeInterval(seconds) })
    await expectFailure(.clockSkewed, "Set this machine's clock") { try await store.put(Data(), at: "a") }
    await expectFailure(.clockSkewed, "Set this machine's clock") {
      _ = try await store.list("", after: nil, limit: 1)
    }
  }

  @Test func `says that there is no room`() async throws {
    let ceph = try await CephFixture("quota")
    let store = try ceph.service.store()
    try await store.put(Data(count: 100_000), at: "before")
    try ceph.order("admin", "quota", "set", "--quota-scope=user", "--uid=app", "--max-size=1")
    try ceph.order("admin", "quota", "enable", "--quota-scope=user", "--uid=app")
    defer {
      #expect(throws: Never.self) {
        try ceph.order("admin", "quota", "disable", "--quota-scope=user", "--uid=app")
      }
    }
    await expectFailure(.noSpace, "Make room in the store") {
      try await store.put(Data(count: 100_000), at: "after")
    }
    #expect(try await store.get("before")?.count == 100_000)
    #expect(try await store.get("after") == nil)
  }

  @Test func `says that the bucket is gone`() async throws {
    let ceph = try await CephFixture("removed")
    let store = try ceph.service.store()
    try await store.put(Data("x".utf8), at: "a")
    try ceph.order("admin", "bucket", "rm", "--bucket=removed", "--purge-objects")
    await expectFailure(.noSuchStore, "Make the bucket") { try await store.put(Data(), at: "a") }
    await expectFailure(.noSuchStore, "Make the bucket") { _ = try await store.get("a") }
    await expectFailure(.noSuchStore, "Make the bucket") {
      _ = try await store.list("", after: nil, limit: 1)
    }
  }

  @Test func `answers again after its gateway stood still`() async throws {
    let ceph = try await CephFixture("pause")
    let store = try ceph.service.store(transport: CephFixture.impatient)
    try await store.put(Data("before".utf8), at: "a")
    try ceph.order("pause", "gateway")
    await expectFailure(.timedOut, "try again later") { _ = try await store.get("a") }
    await expectFailure(.timedOut, "try again later") {
      try await store.put(Data("late".utf8), at: "b", ifAbsent: true)
    }
    let task = Task { try await RetryingStore(store, policy: .init(attempts: 20)).get("a") }
    try ceph.order("resume", "gateway")
    #expect(try await task.value == Data("before".utf8))
    // The call that got no answer may have done its work, or not (OS3).
    let isStored = try await store.put(Data("second".utf8), at: "b", ifAbsent: true)
    #expect(try await store.get("b") == Data((isStored ? "second" : "late").utf8))
  }

  @Test func `is trusted by its certificate and its name only`() async throws {
    var service = try await CephFixture("tls").service
    let port = try #require(S3Address("s3://tls", endpoint: service.endpoint).port)
    // SSL_CERT_FILE has the certificate of `localhost`.
    service.endpoint = "https://localhost:\(port + 1)"
    let bytes = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) })
    let store = try service.store()
    for _ in 0..<3 {
      try await store.put(bytes, at: "large")
      #expect(try await store.get("large") == bytes)
    }
    service.endpoint = "https://127.0.0.1:\(port + 1)"
    let other = try service.store()
    await expectFailure(.untrusted, "Check the address") { _ = try await other.get("large") }
  }

  /// Writes objects until it is stopped, and remembers those that were acknowledged.
  private final class Writer: Sendable {
    let acknowledged = Mutex<[ObjectKey: Data]>([:])
    private let isStopped = Mutex(false)

    func stop() { isStopped.withLock { $0 = true } }

    func write(as number: Int, to store: some ObjectStore) async throws {
      for count in 0... {
        if isStopped.withLock({ $0 }) { return }
        let key = try #require(ObjectKey("kills/\(number)/\(count)"))
        let bytes =
          Data("\(number), \(count) ".utf8) + Data(repeating: UInt8(number), count: count % 50 * 4_000)
        // A store that repeats its calls knows its own object again.
        #expect(try await store.put(bytes, at: key, ifAbsent: count % 2 == 0), "\(key)")
        acknowledged.withLock { $0[key] = bytes }
      }
    }

    /// Waits until so many more objects were acknowledged.
    func advance(by count: Int) async throws {
      let goal = acknowledged.withLock { $0.count } + count
      while acknowledged.withLock({ $0.count }) < goal { try await Task.sleep(for: .milliseconds(5)) }
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: ["gateway", "osd"])
  func `keeps every acknowledged object while a process is killed`(name: String) async throws {
    let ceph = try await CephFixture("kills-\(name)")
    let store = RetryingStore(
      try ceph.service.store(transport: CephFixture.impatient),
      policy: .init(attempts: 100, longestWait: .seconds(1)))
    let writer = Writer()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 { group.addTask { try await writer.write(as: number, to: store) } }
      for _ in 0..<5 {
        try await writer.advance(by: 40)
        try ceph.order("kill", name)
        try ceph.order("start", name)
      }
      try await writer.advance(by: 40)
      writer.stop()
      try await group.waitForAll()
    }
    let acknowledged = writer.acknowledged.withLock { $0 }
    var listed: Set<ObjectKey> = []
    try await store.listAll("kills/") { page in
      listed.formUnion(page.map(\.key))
      return true
    }
    #expect(listed.isSuperset(of: acknowledged.keys))
    for (key, bytes) in acknowledged { #expect(try await store.get(key) == bytes, "\(key)") }
    print("  \(name): 5 kills, \(acknowledged.count) acknowledged objects, all there")
  }
}
