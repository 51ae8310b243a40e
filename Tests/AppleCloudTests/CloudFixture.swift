import AppleCloud
import CloudContainers
import DurableIO
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

/// Two machines with one container in a folder; this program has the container of the first one registered.
///
/// The registry is one for the program, so that one test at a time has it.
struct CloudFixture: Sendable {
  static let identifier = "iCloud.org.example.notes"
  private static let turn = AsyncSemaphore(1)

  /// The container that this program has registered.
  let here: CloudContainer
  /// The container on another machine.
  let there: CloudContainer
  /// A folder that belongs to no container.
  let local: URL
  let store: GatedStore

  var documents: URL { here.url.appending(path: "Documents") }

  /// Runs a test with two machines.
  fileprivate static func withTwo(_ body: (CloudFixture) async throws -> Void) async throws {
    try await turn.waitUnlessCancelled()
    defer { turn.signal() }
    try await withTemporaryDirectory { directory in
      func folder(_ name: String) throws -> URL {
        let url = URL(filePath: directory.appending(name).string)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
      }
      let objects = try folder("store")
      let store = GatedStore(try FolderStore(at: objects))
      let fixture = CloudFixture(
        here: try await .add(try folder("here"), to: store, address: objects.path, deviceName: "here"),
        there: try await .add(try folder("there"), to: store, address: objects.path, deviceName: "there"),
        local: try folder("local"), store: store)
      try UbiquityContainers.register(fixture.here, forIdentifier: identifier)
      defer { UbiquityContainers.unregister(identifier: identifier) }
      try await body(fixture)
    }
  }

  /// Writes a file on the other machine, and brings its version to both.
  func writeThere(_ text: String, to name: String) async throws {
    try Self.write(text, to: there.url.appending(path: name))
    try await syncBoth()
  }

  func syncBoth() async throws {
    for container in [there, here] {
      for failure in try await container.sync().failures {
        Issue.record("\(failure.name): \(failure.error.map { "\($0)" } ?? "")")
      }
    }
  }

  static func write(_ text: String, to url: URL) throws {
    try writeFile(Data(text.utf8), to: url)
  }

  static func text(at url: URL) -> String? { try? String(contentsOf: url, encoding: .utf8) }

  /// Waits until a condition is true.
  static func wait(for what: String, _ isTrue: @escaping @Sendable () async -> Bool) async throws {
    try await withDeadline(what) { while await !isTrue() { await Task.yield() } }
  }
}

/// Gives each test two machines, `cloud`.
struct CloudTrait: SuiteTrait, TestTrait, TestScoping {
  @TaskLocal fileprivate static var fixture: CloudFixture?

  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await CloudFixture.withTwo { try await Self.$fixture.withValue($0) { try await body() } }
  }
}

extension Trait where Self == CloudTrait {
  static var cloud: Self { Self() }
}

/// The machines of the test that runs, which has the trait `cloud`.
var cloud: CloudFixture {
  guard let fixture = CloudTrait.fixture else { preconditionFailure("the test has no trait 'cloud'") }
  return fixture
}
