import Foundation
import Glibc
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("The keys of an S3 service", .tags(.process), .temporaryDirectory)
struct CloudSecretTests {
  /// The ways by which a command gets the keys.
  enum Way: CaseIterable {
    case environment, file
  }

  @Test(arguments: Way.allCases)
  func `are in no output, file and command line of any command`(way: Way) async throws {
    let fixture = try SecretFixture(in: folder, way)
    let place = fixture.place
    try write("rain", to: "own.txt")
    try fixture.cloud("init", place + ["A", "--device", "laptop", "--json"])
    try fixture.cloud("add", place + ["B", "--device", "desktop"])
    try fixture.cloud("move", ["own.txt", "--to", "A"])
    try output("new", "A/Trip.imageNotes", "--text", "Valleys")
    try fixture.cloud("sync", ["A"])
    try await fixture.watch("B")
    for arguments in [[], ["--json"]] {
      for command in ["status", "list", "check"] { try fixture.cloud(command, ["A"] + arguments) }
    }
    try fixture.cloud("check", ["A", "--read"])
    try fixture.cloud("repair", ["A", "--read"])
    try fixture.cloud("download", ["B/Trip.imageNotes"])
    try fixture.cloud("evict", ["A/own.txt"])
    try fixture.cloud("delete", ["A/own.txt"])
    try fixture.cloud("restore", ["A", "--json"])
    try fixture.cloud("restore", ["A", "--name", "own.txt"])
    try fixture.cloud("gc", ["A", "--dry-run", "--json"])
    try fixture.cloud("gc", ["A"])
    try fixture.cloud("move", ["B/Trip.imageNotes", "--from", "B"])
    try fixture.cloud("sync", ["B", "--json"])
    try fixture.cloud("versions", ["A/Trip.imageNotes", "--json"])
    try fixture.cloud("restore", ["A/Trip.imageNotes", "--version", "1"])
    try fixture.cloud("sync", ["A", "--dry-run"])
    try fixture.cloud("keep", ["A", "--all"])
    try fixture.cloud("devices", ["A", "--rename", "notebook"])
    try fixture.cloud("devices", ["A", "--json"])
    try fixture.cloud("key", ["export", "A", "container.key"])
    try fixture.cloud("key", ["change-passphrase", "A"])
    try fixture.cloud("relocate", ["A"] + place)
    try fixture.cloud("leave", ["A", "--force", "--json"])
    let known = Set(try fixture.subcommands())
    #expect(known.count > 10 && fixture.commands == known, "the test runs every command")
    #expect(fixture.server.requests.count > 100)
    try fixture.expectNoSecret()
  }

  @Test(arguments: [
    S3Server.Trouble.refusal(403, "InvalidAccessKeyId"), .refusal(403, "SignatureDoesNotMatch"),
    .refusal(400, "ExpiredToken"), .refusal(403, "AccessDenied"), .refusal(404, "NoSuchBucket"),
    .refusal(400, "NewCode"), .echo,
  ])
  func `are in no error, even if the server sends them back`(trouble: S3Server.Trouble) throws {
    let fixture = try SecretFixture(in: folder, .environment, trouble)
    for (command, arguments) in [("init", ["A"]), ("add", ["A", "--json"])] {
      try fixture.cloud(command, fixture.place + arguments, status: 2)
    }
    try fixture.expectNoSecret()
  }

  @Test func `would be found in a command line`() throws {
    let secret = "secret-\(UUID().uuidString)"
    let program = try Program(path: "/bin/sh").start(["-c", "read line", secret], input: .lines)
    let processes = ProcessList([secret])
    // The command line of a program that has just started may be empty yet.
    while processes.lines.isEmpty {
      try #require(program.isRunning)
      try processes.look()
    }
    #expect(processes.lines.count == 1)
  }

  @Test(arguments: [(0o600, false), (0o640, true), (0o644, true)] as [(mode_t, Bool)])
  func `are warned of if other users can read their file`(mode: mode_t, isWarned: Bool) throws {
    let fixture = try SecretFixture(in: folder, .file)
    #expect(chmod(fixture.file, mode) == 0)
    let run = try run(
      tool, ["cloud", "init"] + fixture.place + ["A", "--no-encrypt"],
      environment: fixture.environment)
    #expect(run.status == 0)
    let warning = "docpkg: warning: Other users can read the keys in '\(fixture.file)'; run: chmod 600"
    #expect(run.errors.contains(warning) == isWarned && run.errors.isEmpty == !isWarned, "\(run.errors)")
  }
}

/// The command lines of processes that have a secret.
private final class ProcessList: Sendable {
  private let secrets: [String]
  private let exposed = Mutex<Set<String>>([])
  var lines: Set<String> { exposed.withLock { $0 } }

  init(_ secrets: [String]) { self.secrets = secrets }

  /// Looks at all processes of this machine.
  func look() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(name) != nil {
      // A process may have ended meanwhile.
      let file = open("/proc/\(name)/cmdline", O_RDONLY)
      guard file >= 0 else { continue }
      defer { close(file) }
      // The size of such a file is 0 before it is read.
      var bytes = [UInt8](repeating: 0, count: 1 << 17)
      let count = max(0, read(file, &bytes, bytes.count))
      let line = String(decoding: bytes[..<count], as: UTF8.self)
      if secrets.contains(where: line.contains) { exposed.withLock { _ = $0.insert(line) } }
    }
  }
}

/// An S3 service with keys that no other process of this machine has, and all that commands print.
private final class SecretFixture: Sendable {
  let server: S3Server
  let folder: FilePath
  /// awscli's file of keys.
  let file: String
  let environment: [String: String]
  /// The arguments of the container's address.
  let place: [String]
  private let secrets: [String]
  private let processes: ProcessList
  private let state = Mutex((printed: "", commands: Set<String>()))

  init(in folder: FilePath, _ way: CloudSecretTests.Way, _ trouble: S3Server.Trouble? = nil) throws {
    let (secret, token) = ("secret-\(UUID().uuidString)", "token-\(UUID().uuidString)")
    let passphrase = "passphrase-\(UUID().uuidString)"
    let processes = ProcessList([secret, token, passphrase])
    let keys = S3Credentials(accessKeyID: "AKTESTKEY", secretAccessKey: secret, sessionToken: token)
    let server = try S3Server(keys: keys) { _ in
      do {
        try processes.look()
      } catch {
        Issue.record(error)
      }
      return trouble
    }
    (self.server, self.folder, self.processes) = (server, folder, processes)
    secrets = [secret, token, passphrase]
    let home = folder.appending("home")
    file = home.appending(".aws/credentials").string
    switch way {
    case .environment:
      place = server.place
      environment = [
        "HOME": home.string, "AWS_ACCESS_KEY_ID": keys.accessKeyID, "AWS_SECRET_ACCESS_KEY": secret,
        "AWS_SESSION_TOKEN": token, "DOCPKG_PASSPHRASE": passphrase,
      ]
    case .file:
      place = server.place + ["--profile", "me"]
      environment = [
        "HOME": home.string, "AWS_SHARED_CREDENTIALS_FILE": file,
        "AWS_CONFIG_FILE": home.appending("none").string, "DOCPKG_PASSPHRASE": passphrase,
      ]
      try createFolder(at: home.appending(".aws"))
      let text = """
        [me]
        aws_access_key_id = \(keys.accessKeyID)
        aws_secret_access_key = \(secret)
        aws_session_token = \(token)
        """
      try Data(text.utf8).write(to: URL(filePath: file))
      #expect(chmod(file, 0o600) == 0)
    }
  }

  /// Runs a command to its end, and looks for the secrets when it makes requests.
  func cloud(_ command: String, _ arguments: [String], status: Int32 = 0) throws {
    let run = try run(tool, ["cloud", command] + arguments, environment: environment)
    #expect(run.status == status && run.errors.isEmpty == (status == 0), "\(command): \(run.errors)")
    state.withLock { state in
      state.commands.insert(command)
      state.printed += run.output + run.errors
    }
  }

  /// Runs `sync --watch` until it has made three requests.
  func watch(_ name: String) async throws {
    let before = server.requests.count
    let program = try tool.start(
      ["cloud", "sync", name, "--watch", "--interval", "1", "--json"], in: folder, environment: environment)
    try await program.waits { server.requests.count >= before + 3 }
    program.signal(SIGINT)
    let run = try program.wait()
    state.withLock { $0.printed += run.output + run.errors }
  }

  /// The commands that have run.
  var commands: Set<String> { state.withLock { $0.commands } }

  /// The commands that the help of `docpkg cloud` has.
  func subcommands() throws -> [String] {
    let help = try run(tool, ["cloud", "--help"]).output
    let lines = help.components(separatedBy: "SUBCOMMANDS:\n").last ?? ""
    return lines.split(separator: "\n").filter { $0.hasPrefix("  ") && $0.dropFirst(2).first != " " }
      .compactMap { $0.split(separator: " ").first.map(String.init) }.filter { $0 != "See" }
  }

  /// Looks for the secrets in all that was printed, in all files but awscli's, and in the command lines.
  func expectNoSecret() throws {
    let printed = state.withLock { $0.printed }
    #expect(!printed.isEmpty && !secrets.contains(where: printed.contains), "\(printed)")
    #expect(processes.lines.isEmpty)
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.string) {
      let path = folder.appending(name).string
      if path == file { continue }
      guard let bytes = FileManager.default.contents(atPath: path) else { continue }
      count += 1
      for secret in secrets { #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(name)") }
    }
    #expect(count > 0 || !fileExists("A"))
  }
}
