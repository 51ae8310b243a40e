import Foundation
import Glibc
import Synchronization
import SystemPackage
import Testing

/// A folder of documents, and `docpkg serve` for it as a process of its own.
final class ServeFixture: Sendable {
  /// The address that the server printed.
  struct Address: Sendable {
    /// The server's own name below `localhost`.
    var name: String
    var port: Int
    var token: String

    var host: String { "\(name):\(port)" }
    /// The address to open.
    var entry: String { "\(origin)/?token=\(token)" }
    var origin: String { "http://\(host)" }
    func page(_ path: String) -> String { origin + path }
  }

  static let tool = Program("docpkg")
  /// The project's own pictures.
  static let demo = projectFolder.appending(path: "Fixtures/Demo")

  static func picture(_ name: String) -> String { demo.appending(path: name).path }

  /// The test's own folder; the documents are in a folder in it.
  let root: FilePath
  private let running = Mutex<(process: TalkingProgram, address: Address)?>(nil)

  /// The arguments after the folder in the server's command line.
  private let arguments: [String]

  private init(in root: FilePath, _ arguments: [String] = []) {
    (self.root, self.arguments) = (root, arguments)
  }

  var documents: FilePath { root.appending("Notes") }

  /// The address of the server that runs.
  var address: Address {
    get throws { try #require(running.withLock { $0?.address }, "the server runs") }
  }

  var process: TalkingProgram {
    get throws { try #require(running.withLock { $0?.process }, "the server runs") }
  }

  /// Runs `body` with a folder and a server for it.
  ///
  /// - Parameters:
  ///   - arguments: what stands after the folder in the command line; `ROOT` is the test's own folder.
  ///   - prepare: fills the folder before the server starts.
  static func with(
    arguments: [String] = [], prepare: (ServeFixture) throws -> Void = { _ in },
    _ body: (ServeFixture) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { root in
      let fixture = ServeFixture(in: root, arguments.map { $0.replacing("ROOT", with: root.string) })
      try FileManager.default.createDirectory(
        atPath: fixture.documents.string, withIntermediateDirectories: true)
      try prepare(fixture)
      try await fixture.start()
      do {
        try await body(fixture)
      } catch {
        try? await fixture.kill()
        throw error
      }
      try await fixture.stop()
    }
  }

  /// Whether this user may mount a file system.
  static let canMount = Program.succeeds("unshare -m mount -t tmpfs none /mnt")

  /// Runs `body` with a server whose folder is a file system of a few megabytes. No other program sees it there.
  static func withSmallDisk(_ size: String, _ body: (ServeFixture) async throws -> Void) async throws {
    try await withTemporaryDirectory { root in
      let fixture = ServeFixture(in: root)
      try FileManager.default.createDirectory(
        atPath: fixture.documents.string, withIntermediateDirectories: true)
      let script = """
        mount -t tmpfs -o size=\(size) none "$1"
        "$0" new "$1/Trip.imageNotes" --text 'Three valleys' --quiet
        exec "$0" serve "$1"
        """
      try await fixture.start(
        Program(path: "/usr/bin/unshare"),
        ["-m", "sh", "-ec", script, tool.path, fixture.documents.string])
      do {
        try await body(fixture)
      } catch {
        try? await fixture.kill()
        throw error
      }
      try await fixture.stop()
    }
  }

  /// The folder of documents as the server sees it.
  var documentsOfServer: FilePath {
    get throws { FilePath("/proc/\(try process.number)/root").appending(documents.components) }
  }

  /// The settings of all programs of a test: their state is in the test's folder.
  private var environment: [String: String] {
    [
      "XDG_STATE_HOME": root.appending("state").string, "XDG_DATA_HOME": root.appending("data").string,
      "XDG_CACHE_HOME": root.appending("cache").string, "TMPDIR": temporary,
    ]
  }

  /// The folder of temporary files.
  private var temporary: String { root.appending("temporary").string }

  /// The servers' folders of uploads.
  func uploads() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporary).filter { $0.contains("docpkg-serve") }
      .map { temporary + "/" + $0 }
  }

  /// Starts the server; with a port, at that one.
  func start(port: Int = 0) async throws {
    try await start(Self.tool, ["serve", documents.string, "--port", String(port)] + arguments)
  }

  private func start(_ program: Program, _ arguments: [String]) async throws {
    try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
    let process = try TalkingProgram(program, arguments, environment: environment)
    let address = try await process.expect("the server's address") { $0.lazy.compactMap(Self.address).first }
    running.withLock { $0 = (process, address) }
  }

  static func address(in line: String) -> Address? {
    let form = /http:\/\/([0-9a-f]{20}\.localhost):([0-9]+)\/\?token=([A-Za-z0-9_-]+)/
    guard let match = line.wholeMatch(of: form), let port = Int(match.2) else { return nil }
    return Address(name: String(match.1), port: port, token: String(match.3))
  }

  /// Stops the server, which saves everything first.
  func stop(by signal: Int32 = SIGTERM) async throws {
    guard
      let process = running.withLock({ running in
        defer { running = nil }
        return running?.process
      })
    else { return }
    process.signal(signal)
    let run = try await process.waitForEnd()
    #expect(run.status == 0, "the server ended with status \(run.status): \(run.errors)")
  }

  func kill() async throws {
    let process = running.withLock { running in
      defer { running = nil }
      return running?.process
    }
    try await process?.kill()
  }

  // MARK: Other programs

  /// Runs `docpkg` in the folder of documents, as another program.
  @discardableResult
  func docpkg(_ arguments: String..., input: String? = nil) throws -> Run {
    let run = try Self.tool.run(arguments, in: documents, input: input ?? "", environment: environment)
    #expect(run.status == 0, "docpkg \(arguments.joined(separator: " ")): \(run.errors)")
    return run
  }

  @discardableResult
  func shell(_ script: String) throws -> Run {
    let run = try Program(path: "/bin/sh").run(
      ["-ec", script, Self.tool.path], in: documents, environment: environment)
    #expect(run.status == 0, "\(run.errors)")
    return run
  }

  /// The text of a document, as another program of this library reads it. A file may get its bytes after the commit.
  func text(of name: String) throws -> String { try docpkg("cat", "\(name).imageNotes", "Text.txt").output }

  struct Shown: Decodable {
    struct Image: Decodable {
      var name: String
      var originalFilename: String?
      var caption: String?
    }
    var title: String?
    var text: String
    var images: [Image]
  }

  /// A document as `docpkg show` reads it.
  func shown(_ name: String) throws -> Shown {
    try JSONDecoder().decode(
      Shown.self, from: Data(docpkg("show", "\(name).imageNotes", "--json").output.utf8))
  }

  /// The names of the documents in the folder.
  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: documents.string)
      .filter { $0.hasSuffix(".imageNotes") }.map { String($0.dropLast(".imageNotes".count)) }.sorted()
  }

  /// Every node of the folder with its bytes, permissions and times.
  func state() throws -> String {
    try shell(
      """
      find . -printf '%p %y %m %i %T@ %l\\n' | sort
      find . -type f | sort | xargs -r -d '\\n' sha256sum
      """
    ).output
  }

  /// Waits until a condition holds that no program announces.
  func wait(for what: String, until condition: @escaping @Sendable () throws -> Bool) async throws {
    try await withDeadline(what, seconds: 60) {
      while try !condition() { try await Task.sleep(for: .milliseconds(30)) }
    }
  }
}
