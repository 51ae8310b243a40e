import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

/// The stores that the commands run with.
enum CloudPlace: CaseIterable {
  case folder
  /// The S3 service that the environment names, as `Tests/long/run ceph` does.
  case service

  static let allCases: [CloudPlace] =
    ProcessInfo.processInfo.environment["S3_TEST_ENDPOINT"] == nil ? [.folder] : [.folder, .service]

  /// The arguments of a new, empty store.
  func arguments(in folder: FilePath) throws -> [String] {
    switch self {
    case .folder:
      let store = folder.appending("disk").string
      try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
      return [store]
    case .service:
      let environment = ProcessInfo.processInfo.environment
      let bucket = try #require(environment["S3_TEST_BUCKET"])
      let endpoint = try #require(environment["S3_TEST_ENDPOINT"])
      return ["s3://\(bucket)/\(UUID().uuidString)", "--endpoint", endpoint]
    }
  }
}

extension CloudPlace {
  /// The arguments of a store that gets a container, which a service has encrypted.
  func containerArguments(in folder: FilePath) throws -> [String] {
    if self == .folder { return try arguments(in: folder) }
    try "correct horse".write(toFile: folder.appending("words").string, atomically: true, encoding: .utf8)
    return try arguments(in: folder) + ["--passphrase-file", "words"]
  }
}

@Suite("docpkg cloud", .tags(.process))
struct CloudCommandTests {
  /// The report of `sync --json`.
  private struct Report: Decodable {
    struct Document: Decodable {
      var name: String
      var events: [String]
    }
    var documents: [Document]
    var requests: Int
    var bytesSent: Int
  }

  /// A document of `list --json`.
  private struct Item: Decodable {
    var name: String
    var type: String
    var downloadingStatus: String
    var isUploaded: Bool
    var savingComputer: String?
  }

  /// Runs a command that has to succeed.
  @discardableResult
  private func cloud(_ arguments: [String], in folder: FilePath) throws -> String {
    let run = try run(tool, ["cloud"] + arguments, in: folder)
    #expect(run.status == 0 && run.errors.isEmpty, "\(arguments): \(run.errors)")
    return run.output
  }

  private func decoded<Value: Decodable>(_ type: Value.Type = Value.self, _ output: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(output.utf8))
  }

  private func items(_ folder: String, in place: FilePath) throws -> [Item] {
    try decoded([Item].self, try cloud(["list", folder, "--json"], in: place))
  }

  /// Makes a container with the folders `A`, of the machine `laptop`, and `B`, of `desktop`.
  private func withTwoFolders(
    _ kind: CloudPlace, _ body: (FilePath) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { folder in
      let store = try kind.containerArguments(in: folder)
      try cloud(["init"] + store + ["A", "--device", "laptop"], in: folder)
      try cloud(["add"] + store + ["B", "--device", "desktop"], in: folder)
      try await body(folder)
    }
  }

  @Test func `is advised for a document whose content is not here`() async throws {
    try await withTwoFolders(.folder) { folder in
      _ = try docpkg("new", "A/Trip.imageNotes", "--text", "Three valleys", in: folder)
      try cloud(["sync", "A"], in: folder)
      try cloud(["sync", "B"], in: folder)
      for command in ["show", "info", "tree", "verify", "edit"] {
        let arguments = command == "edit" ? ["B/Trip.imageNotes", "--append", "x"] : ["B/Trip.imageNotes"]
        let missing = try run(tool, [command] + arguments, in: folder)
        #expect(missing.status == 2)
        #expect(
          missing.errors.hasSuffix(
            " If the container has it, 'docpkg cloud download B/Trip.imageNotes' brings it.\n"),
          "\(missing)")
        let none = try docpkg(command, "None.imageNotes", "--append", "x", in: folder)
        #expect(!none.errors.contains("cloud download"), "\(none)")
      }
      try cloud(["download", "B/Trip.imageNotes"], in: folder)
      #expect(try docpkg("show", "B/Trip.imageNotes", in: folder).status == 0)
    }
  }

  @Test(arguments: CloudPlace.allCases)
  func `brings the documents of one folder to another one`(kind: CloudPlace) async throws {
    try await withTwoFolders(kind) { folder in
      #expect(try docpkg("new", "A/Trip.imageNotes", "--text", "Three valleys", in: folder).status == 0)
      let first = try decoded(Report.self, try cloud(["sync", "A", "--json"], in: folder))
      #expect(first.documents.map(\.name) == ["Trip.imageNotes"] && first.documents[0].events == ["uploaded"])
      // A run that finds nothing makes one request. The one after an upload also reads the entry of its news.
      try cloud(["sync", "A"], in: folder)
      #expect(
        try cloud(["sync", "A"], in: folder) == "nothing to do; 1 request, 0 B sent, 0 B received\n")
      try cloud(["sync", "B"], in: folder)
      let placeholder = try #require(try items("B", in: folder).first)
      #expect(placeholder.name == "Trip.imageNotes" && placeholder.downloadingStatus == "notDownloaded")
      #expect(placeholder.type == "com.filepackages.imagenotes" && placeholder.savingComputer == "laptop")
      #expect(!FileManager.default.fileExists(atPath: folder.appending("B/Trip.imageNotes").string))
      #expect(try cloud(["download", "B/Trip.imageNotes"], in: folder) == "downloaded B/Trip.imageNotes\n")
      #expect(try docpkg("show", "B/Trip.imageNotes", in: folder).output.contains("Three valleys"))
      // And back.
      #expect(try docpkg("edit", "B/Trip.imageNotes", "--append", "The hut", in: folder).status == 0)
      #expect(try items("B", in: folder).map(\.isUploaded) == [false])
      let second = try decoded(Report.self, try cloud(["sync", "B", "--json"], in: folder))
      #expect(second.documents.map(\.events) == [["uploaded"]] && second.requests <= 8)
      try cloud(["sync", "A"], in: folder)
      #expect(try docpkg("show", "A/Trip.imageNotes", in: folder).output.contains("The hut"))
      #expect(try docpkg("verify", "A/Trip.imageNotes", in: folder).status == 0)
    }
  }

  @Test(arguments: CloudPlace.allCases)
  func `evicts, deletes and restores`(kind: CloudPlace) async throws {
    try await withTwoFolders(kind) { folder in
      let note = folder.appending("A/note.txt").string
      try Data("rain".utf8).write(to: URL(filePath: note))
      try cloud(["sync", "A"], in: folder)
      #expect(try cloud(["evict", "A/note.txt"], in: folder) == "evicted A/note.txt\n")
      #expect(!FileManager.default.fileExists(atPath: note))
      #expect(try items("A", in: folder).map(\.downloadingStatus) == ["notDownloaded"])
      try cloud(["delete", "A/note.txt"], in: folder)
      #expect(try items("A", in: folder).isEmpty)
      #expect(try cloud(["restore", "A"], in: folder).contains("note.txt"))
      try cloud(["restore", "A", "--name", "note.txt"], in: folder)
      try cloud(["download", "A/note.txt"], in: folder)
      #expect(try String(contentsOfFile: note, encoding: .utf8) == "rain")
    }
  }

  @Test func `downloads a folder and a pattern, and goes on after a document that is none`() async throws {
    try await withTwoFolders(.folder) { folder in
      for name in ["a.txt", "b.md", "Travel/c.txt", "Travel/d.txt"] {
        let file = URL(filePath: folder.appending("A/\(name)").string)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(name.utf8).write(to: file)
      }
      try cloud(["sync", "A"], in: folder)
      try cloud(["sync", "B"], in: folder)
      #expect(try cloud(["download", "B/*.txt"], in: folder) == "downloaded B/a.txt\n")
      let some = try run(tool, ["cloud", "download", "B/none.txt", "B/Travel"], in: folder)
      #expect(some.status == 2 && some.errors.contains("none.txt"))
      #expect(
        Set(some.output.split(separator: "\n")) == ["downloaded B/Travel/c.txt", "downloaded B/Travel/d.txt"])
      #expect(try cloud(["download", "B"], in: folder) == "downloaded B/b.md\n")
      #expect(try cloud(["download", "B"], in: folder) == "nothing to do: all of it is here\n")
      #expect(try items("B", in: folder).map(\.downloadingStatus) == Array(repeating: "current", count: 4))
    }
  }

  @Test func `names a document that the store refuses, in each list`() async throws {
    try await withTwoFolders(.folder) { folder in
      for name in ["a.txt", "b.txt"] {
        let text = String(repeating: name, count: 2_000)
        try Data(text.utf8).write(to: URL(filePath: folder.appending("A/\(name)").string))
      }
      try cloud(["sync", "B"], in: folder)
      try cloud(["sync", "A"], in: folder)
      // A directory in the place of the content is no object that can be read.
      let blobs = folder.appending("disk/blobs").string
      let content = try #require(
        try FileManager.default.subpathsOfDirectory(atPath: blobs).first { path in
          FileManager.default.contents(atPath: "\(blobs)/\(path)")
            .map { String(decoding: $0, as: UTF8.self).hasPrefix("b.txtb.txt") } ?? false
        })
      try FileManager.default.removeItem(atPath: "\(blobs)/\(content)")
      try FileManager.default.createDirectory(
        atPath: "\(blobs)/\(content)", withIntermediateDirectories: false)
      try cloud(["sync", "B"], in: folder)
      for arguments in [["download", "B"], ["sync", "B"], ["list", "B"], ["status", "B"]] {
        let result = try run(tool, ["cloud"] + arguments, in: folder)
        let expected: Int32 = ["list": 0, "status": 1][arguments[0]] ?? 2
        #expect(result.status == expected, "\(arguments)")
        #expect((result.errors + result.output).contains("b.txt"), "\(arguments): \(result)")
        #expect(!result.output.contains("nothing to do"), "\(arguments)")
      }
    }
  }

  @Test(
    .enabled(
      if: Program.succeeds("unshare -m mount -t tmpfs tmpfs /mnt"),
      "this needs the right to mount a file system"), arguments: ["full", "read-only"])
  func `lists a container on a disk that takes no writes`(disk: String) async throws {
    try await withTemporaryDirectory { folder in
      let result = try Program(path: "/usr/bin/unshare").run(
        [
          "-m", "sh", "-ec",
          """
          cd "$1"; mkdir disk small; mount -t tmpfs -o size=2m tmpfs small
          mkdir small/A; "$0" cloud init disk small/A --device a
          echo one > small/A/a.txt; "$0" cloud sync small/A --quiet
          echo two > small/A/b.txt
          if [ "$2" = full ]
          then cat /dev/zero > small/fill 2>/dev/null || true
          else mount -o remount,ro small
          fi
          "$0" cloud list small/A; "$0" cloud status small/A
          if "$0" cloud sync small/A; then exit 9; fi
          """, tool.path, folder.string, disk,
        ])
      #expect(result.status == 0, "\(result)")
      #expect(result.output.contains("here   a.txt") && result.output.contains("new    b.txt"), "\(result)")
      #expect(result.output.contains("2 documents, 2 here"), "\(result)")
      #expect(result.errors.contains("docpkg: "), "\(result)")
    }
  }

  /// A document that is too large to go with its version.
  private static let rain = Data(String(repeating: "rain ", count: 1_000).utf8)

  @Test func `repairs what the store lost, and says what it lacks`() async throws {
    try await withTwoFolders(.folder) { folder in
      try Self.rain.write(to: URL(filePath: folder.appending("A/note.txt").string))
      try cloud(["sync", "A"], in: folder)
      try FileManager.default.removeItem(atPath: folder.appending("disk/blobs").string)
      let damaged = try run(tool, ["cloud", "check", "A"], in: folder)
      #expect(damaged.status == 1 && damaged.output.contains("'docpkg cloud repair'"))
      let evicted = try run(tool, ["cloud", "evict", "A/note.txt"], in: folder)
      #expect(evicted.status == 2 && evicted.errors.contains("'note.txt'"), "\(evicted.errors)")
      #expect(try cloud(["repair", "A"], in: folder).hasPrefix("stored again note.txt\n"))
      try cloud(["evict", "A/note.txt"], in: folder)
      for name in try FileManager.default.contentsOfDirectory(atPath: folder.appending("disk").string) {
        try FileManager.default.removeItem(atPath: folder.appending("disk/\(name)").string)
      }
      let empty = try run(tool, ["cloud", "check", "A"], in: folder)
      #expect(empty.status == 1 && empty.output.contains("the store is empty"))
      #expect(try run(tool, ["cloud", "gc", "A"], in: folder).status == 2)
    }
  }

  @Test func `moves documents in and out`() async throws {
    try await withTwoFolders(.folder) { folder in
      #expect(try docpkg("new", "Trip.imageNotes", "--text", "Three valleys", in: folder).status == 0)
      try cloud(["move", "Trip.imageNotes", "--to", "A"], in: folder)
      #expect(!FileManager.default.fileExists(atPath: folder.appending("Trip.imageNotes").string))
      try cloud(["sync", "A"], in: folder)
      try cloud(["sync", "B"], in: folder)
      // A placeholder is downloaded first.
      try cloud(["move", "B/Trip.imageNotes", "--from", "B"], in: folder)
      #expect(try docpkg("show", "Trip.imageNotes", in: folder).output.contains("Three valleys"))
      try cloud(["sync", "B"], in: folder)
      try cloud(["sync", "A"], in: folder)
      #expect(!FileManager.default.fileExists(atPath: folder.appending("A/Trip.imageNotes").string))
      let plain = try docpkg("cloud", "move", "B", "--to", "A", in: folder)
      #expect(plain.status == 2 && plain.errors == "docpkg: 'B' is a folder, and no document.\n")
    }
  }

  @Test(.timeLimit(.minutes(20)))
  func `keeps two folders together while it watches`() async throws {
    try await withTwoFolders(.folder) { folder in
      let here = try start("cloud", "sync", "A", "--watch", "--interval", "1", "--json", in: folder)
      let there = try start("cloud", "sync", "B", "--watch", "--interval", "1", "--json", in: folder)
      try Data("rain".utf8).write(to: URL(filePath: folder.appending("A/note.txt").string))
      try await here.waits { (line: Report) in line.documents.contains { $0.events == ["uploaded"] } }
      while try items("B", in: folder).map(\.name) != ["note.txt"] {
        try #require(there.isRunning)
        try await Task.sleep(for: .milliseconds(50))
      }
      kill(here.number, SIGINT)
      let end = try here.wait()
      #expect(end.signal == SIGINT && end.errors.contains("what is done stays"))
    }
  }

  @Test func `checks the objects of the container, and removes what no document needs`() async throws {
    struct Check: Decodable {
      var documents: Int
      var problems: [String]
    }
    try await withTwoFolders(.folder) { folder in
      try Self.rain.write(to: URL(filePath: folder.appending("A/note.txt").string))
      try cloud(["sync", "A"], in: folder)
      let whole = try decoded(Check.self, try cloud(["check", "A", "--read", "--json"], in: folder))
      #expect(whole.documents == 1 && whole.problems.isEmpty)
      #expect(
        try cloud(["gc", "A", "--dry-run"], in: folder).hasPrefix("would remove 0 versions and 0 blobs"))
      let blobs = try FileManager.default.subpathsOfDirectory(atPath: folder.appending("disk/blobs").string)
      let content = try #require(
        blobs.map { folder.appending("disk/blobs").string + "/" + $0 }.first {
          FileManager.default.contents(atPath: $0) == Self.rain
        })
      try Data("ruin".utf8).write(to: URL(filePath: content))
      #expect(try run(tool, ["cloud", "check", "A"], in: folder).status == 0)
      let damaged = try run(tool, ["cloud", "check", "A", "--read"], in: folder)
      #expect(damaged.status == 1 && damaged.output.contains("other bytes than those that were stored"))
      try FileManager.default.removeItem(atPath: content)
      let missing = try run(tool, ["cloud", "check", "A"], in: folder)
      #expect(missing.status == 1 && missing.output.contains("is not there"))
    }
  }

  @Test(arguments: [
    (["init", "s3://B", "A"], 64, "is no name of a bucket"),
    (["init", "s3://bucket", "A", "--endpoint", "http://nas.example"], 64, "with --plain-http."),
    (["init", "ftp://bucket", "A"], 64, "is no address"),
    (["init", "none", "A"], 2, "Make the bucket or the folder, mount the disk"),
    (["init", ".", "A"], 2, "must not be in each other"),
    (["add", "empty", "A"], 2, "'docpkg cloud init' makes one"),
    (["status", "."], 2, "'docpkg cloud init' makes a container"),
    (["sync", "--interval", "0"], 64, "from 1 to 86400"),
    (["move", "x"], 64, "either --to or --from"),
    (
      ["add", "s3://bucket", "A", "--endpoint", "http://127.0.0.1:1", "--profile", "none"], 2,
      "There is no profile 'none'"
    ),
  ])
  func `says in a sentence what is wrong`(arguments: [String], status: Int32, words: String) async throws {
    try await withTemporaryDirectory { folder in
      try FileManager.default.createDirectory(
        atPath: folder.appending("empty").string, withIntermediateDirectories: true)
      let run = try run(
        tool, ["cloud"] + arguments, in: folder, environment: ["HOME": folder.string])
      #expect(run.status == status && run.output.isEmpty)
      #expect(run.errors.contains(words), "\(run.errors)")
    }
  }

  @Test(arguments: [
    ["s3://me:not-a-real-secret@bucket"],
    ["s3://bucket", "--endpoint", "https://me:not-a-real-secret@nas.example"],
  ])
  func `repeats no password of an address`(address: [String]) async throws {
    try await withTemporaryDirectory { folder in
      let run = try run(
        tool, ["cloud", "init"] + address + ["A"], in: folder, environment: ["HOME": folder.string])
      #expect(run.status == 64 && run.errors.contains("no password"), "\(run.errors)")
      #expect(!(run.output + run.errors).contains("not-a-real-secret"))
    }
  }

  @Test(
    .enabled(if: Program.succeeds("script -qc true /dev/null"), "this needs a terminal, which 'script' makes")
  )
  func `shows all documents on a terminal, with the rate and the time left`() async throws {
    let server = try S3Server()
    defer { server.stop() }
    let environment = [
      "AWS_ACCESS_KEY_ID": S3Server.credentials.accessKeyID,
      "AWS_SECRET_ACCESS_KEY": S3Server.credentials.secretAccessKey,
    ]
    try await withTemporaryDirectory { folder in
      let place = [
        "s3://\(S3Server.bucket)/me", "--endpoint", server.endpoint, "--region", S3Server.region,
      ]
      let made = try run(
        tool, ["cloud", "init"] + place + ["A", "--no-encrypt"], in: folder,
        environment: environment)
      #expect(made.status == 0, "\(made.errors)")
      let text = """
        for name in a b c; do head -c 700000 /dev/urandom > A/$name.bin; done
        TERM=xterm script -qc "'\(tool.path)' cloud sync A --limit-rate 500K" /dev/null < /dev/null
        """
      let run = try run(
        Program(path: "/bin/sh"), ["-ec", text], in: folder, environment: environment)
      let bar = /\[[# ]{20}\] \d+% of 3 documents, [\d.]+ (KB|MB), [\d.]+ (KB|MB)\/s, \d+ s left/
      #expect(run.output.contains(bar), "\(run.output)")
    }
  }
}
