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
  func arguments() throws -> [String] {
    switch self {
    case .folder:
      try makeDirectory("disk")
      return ["disk"]
    case .service:
      let environment = ProcessInfo.processInfo.environment
      let bucket = try #require(environment["S3_TEST_BUCKET"])
      let endpoint = try #require(environment["S3_TEST_ENDPOINT"])
      return ["s3://\(bucket)/\(UUID().uuidString)", "--endpoint", endpoint]
    }
  }

  /// The arguments of a store that gets a container, which a service has encrypted.
  func containerArguments() throws -> [String] {
    if self == .folder { return try arguments() }
    try write("correct horse", to: "words")
    return try arguments() + ["--passphrase-file", "words"]
  }
}

@Suite("docpkg cloud", .tags(.process), .temporaryDirectory)
struct CloudCommandTests {
  /// A document of `list --json`.
  private struct Item: Decodable {
    var name: String
    var type: String
    var downloadingStatus: String
    var isUploaded: Bool
    var savingComputer: String?
  }

  private func items(_ name: String) throws -> [Item] {
    try decoded(docpkg("cloud", "list", name, "--json"))
  }

  /// Makes a container with the folders `A`, of the machine `laptop`, and `B`, of `desktop`.
  private func makeTwoFolders(_ kind: CloudPlace = .folder) throws {
    let store = try kind.containerArguments()
    try cloud(["init"] + store + ["A", "--device", "laptop"])
    try cloud(["add"] + store + ["B", "--device", "desktop"])
  }

  @Test func `is advised for a document whose content is not here`() throws {
    try makeTwoFolders()
    try docpkg("new", "A/Trip.imageNotes", "--text", "Three valleys")
    try cloud("sync", "A")
    try cloud("sync", "B")
    for command in ["show", "info", "tree", "verify", "edit"] {
      let arguments = command == "edit" ? ["B/Trip.imageNotes", "--append", "x"] : ["B/Trip.imageNotes"]
      let missing = try run(tool, [command] + arguments)
      #expect(missing.status == 2)
      #expect(
        missing.errors.hasSuffix(
          " If the container has it, 'docpkg cloud download B/Trip.imageNotes' brings it.\n"),
        "\(missing)")
      let none = try docpkg(command, "None.imageNotes", "--append", "x")
      #expect(!none.errors.contains("cloud download"), "\(none)")
    }
    try cloud("download", "B/Trip.imageNotes")
    try output("show", "B/Trip.imageNotes")
  }

  @Test(arguments: CloudPlace.allCases)
  func `brings the documents of one folder to another one`(kind: CloudPlace) throws {
    try makeTwoFolders(kind)
    try output("new", "A/Trip.imageNotes", "--text", "Three valleys")
    let first = try decoded(docpkg("cloud", "sync", "A", "--json"), as: SyncLine.self)
    #expect(first.documents.map(\.name) == ["Trip.imageNotes"] && first.documents[0].events == ["uploaded"])
    // A run that finds nothing makes one request. The one after an upload also reads the entry of its news.
    try cloud("sync", "A")
    #expect(try cloud("sync", "A") == "nothing to do; 1 request, 0 B sent, 0 B received\n")
    try cloud("sync", "B")
    let placeholder = try #require(try items("B").first)
    #expect(placeholder.name == "Trip.imageNotes" && placeholder.downloadingStatus == "notDownloaded")
    #expect(placeholder.type == "com.filepackages.imagenotes" && placeholder.savingComputer == "laptop")
    #expect(!fileExists("B/Trip.imageNotes"))
    #expect(try cloud("download", "B/Trip.imageNotes") == "downloaded B/Trip.imageNotes\n")
    #expect(try docpkg("show", "B/Trip.imageNotes").output.contains("Three valleys"))
    // And back.
    try output("edit", "B/Trip.imageNotes", "--append", "The hut")
    #expect(try items("B").map(\.isUploaded) == [false])
    let second = try decoded(docpkg("cloud", "sync", "B", "--json"), as: SyncLine.self)
    #expect(second.documents.map(\.events) == [["uploaded"]] && second.requests <= 8)
    try cloud("sync", "A")
    #expect(try docpkg("show", "A/Trip.imageNotes").output.contains("The hut"))
    try output("verify", "A/Trip.imageNotes")
  }

  @Test(arguments: CloudPlace.allCases)
  func `evicts, deletes and restores`(kind: CloudPlace) throws {
    try makeTwoFolders(kind)
    let note = folder.appending("A/note.txt").string
    try Data("rain".utf8).write(to: URL(filePath: note))
    try cloud("sync", "A")
    #expect(try cloud("evict", "A/note.txt") == "evicted A/note.txt\n")
    #expect(!FileManager.default.fileExists(atPath: note))
    #expect(try items("A").map(\.downloadingStatus) == ["notDownloaded"])
    try cloud("delete", "A/note.txt")
    #expect(try items("A").isEmpty)
    #expect(try cloud("restore", "A").contains("note.txt"))
    try cloud("restore", "A", "--name", "note.txt")
    try cloud("download", "A/note.txt")
    #expect(try String(contentsOfFile: note, encoding: .utf8) == "rain")
  }

  @Test func `downloads a folder and a pattern, and goes on after a document that is none`() throws {
    try makeTwoFolders()
    for name in ["a.txt", "b.md", "Travel/c.txt", "Travel/d.txt"] {
      try writeFile(Data(name.utf8), to: url("A/\(name)"))
    }
    try cloud("sync", "A")
    try cloud("sync", "B")
    #expect(try cloud("download", "B/*.txt") == "downloaded B/a.txt\n")
    let some = try run(tool, ["cloud", "download", "B/none.txt", "B/Travel"])
    #expect(some.status == 2 && some.errors.contains("none.txt"))
    #expect(
      Set(some.output.split(separator: "\n")) == ["downloaded B/Travel/c.txt", "downloaded B/Travel/d.txt"])
    #expect(try cloud("download", "B") == "downloaded B/b.md\n")
    #expect(try cloud("download", "B") == "nothing to do: all of it is here\n")
    #expect(try items("B").map(\.downloadingStatus) == Array(repeating: "current", count: 4))
  }

  @Test func `says on a new machine that it could not read the container, in each list`() throws {
    try makeTwoFolders()
    try write("one", to: "A/a.txt")
    try cloud("sync", "A")
    let entry = url("disk/log/0000000000000001")
    let bytes = try Data(contentsOf: entry)
    try Data("{".utf8).write(to: entry)
    for arguments in [["sync", "B"], ["list", "B"], ["status", "B"], ["download", "B"]] {
      let result = try run(tool, ["cloud"] + arguments)
      let expected: Int32 = ["list": 1, "status": 0][arguments[0]] ?? 2
      #expect(result.status == expected, "\(arguments): \(result)")
      let words = arguments[0] == "sync" ? "log/0000000000000001" : "no sync has read the container"
      #expect((result.errors + result.output).contains(words), "\(arguments): \(result)")
    }
    try bytes.write(to: entry)
    try cloud("sync", "B")
    #expect(try cloud("list", "B").contains("a.txt"))
  }

  @Test func `names a document that the store refuses, in each list`() throws {
    try makeTwoFolders()
    for name in ["a.txt", "b.txt"] {
      try write(String(repeating: name, count: 2_000), to: "A/\(name)")
    }
    try cloud("sync", "B")
    try cloud("sync", "A")
    // A directory in the place of the content is no object that can be read.
    let blobs = folder.appending("disk/blobs").string
    let content = try #require(
      try FileManager.default.subpathsOfDirectory(atPath: blobs).first { path in
        FileManager.default.contents(atPath: "\(blobs)/\(path)")
          .map { String(decoding: $0, as: UTF8.self).hasPrefix("b.txtb.txt") } ?? false
      })
    try FileManager.default.removeItem(atPath: "\(blobs)/\(content)")
    try FileManager.default.createDirectory(atPath: "\(blobs)/\(content)", withIntermediateDirectories: false)
    try cloud("sync", "B")
    for arguments in [["download", "B"], ["sync", "B"], ["list", "B"], ["status", "B"]] {
      let result = try run(tool, ["cloud"] + arguments)
      let expected: Int32 = ["list": 0, "status": 1][arguments[0]] ?? 2
      #expect(result.status == expected, "\(arguments)")
      #expect((result.errors + result.output).contains("b.txt"), "\(arguments): \(result)")
      #expect(!result.output.contains("nothing to do"), "\(arguments)")
    }
  }

  @Test(.mounting, arguments: ["full", "read-only"])
  func `lists a container on a disk that takes no writes`(disk: String) throws {
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

  /// A document that is too large to go with its version.
  private static let rain = Data(String(repeating: "rain ", count: 1_000).utf8)

  @Test func `repairs what the store lost, and says what it lacks`() throws {
    try makeTwoFolders()
    try Self.rain.write(to: url("A/note.txt"))
    try cloud("sync", "A")
    try remove("disk/blobs")
    let damaged = try run(tool, ["cloud", "check", "A"])
    #expect(damaged.status == 1 && damaged.output.contains("'docpkg cloud repair'"))
    try expectMessage(["cloud", "evict", "A/note.txt"], "'note.txt'")
    #expect(try cloud("repair", "A").hasPrefix("stored again note.txt\n"))
    try cloud("evict", "A/note.txt")
    for name in try names(in: "disk") {
      try remove("disk/\(name)")
    }
    let empty = try run(tool, ["cloud", "check", "A"])
    #expect(empty.status == 1 && empty.output.contains("the store is empty"))
    #expect(try run(tool, ["cloud", "gc", "A"]).status == 2)
  }

  @Test func `moves documents in and out`() throws {
    try makeTwoFolders()
    try output("new", "Trip.imageNotes", "--text", "Three valleys")
    try cloud("move", "Trip.imageNotes", "--to", "A")
    #expect(!fileExists("Trip.imageNotes"))
    try cloud("sync", "A")
    try cloud("sync", "B")
    // A placeholder is downloaded first.
    try cloud("move", "B/Trip.imageNotes", "--from", "B")
    #expect(try docpkg("show", "Trip.imageNotes").output.contains("Three valleys"))
    try cloud("sync", "B")
    try cloud("sync", "A")
    #expect(!fileExists("A/Trip.imageNotes"))
    let plain = try docpkg("cloud", "move", "B", "--to", "A")
    #expect(plain.status == 2 && plain.errors == "docpkg: 'B' is a folder, and no document.\n")
  }

  @Test(.timeLimit(.minutes(60)))
  func `keeps two folders together while it watches`() async throws {
    try makeTwoFolders()
    let here = try start("cloud", "sync", "A", "--watch", "--interval", "1", "--json")
    let there = try start("cloud", "sync", "B", "--watch", "--interval", "1", "--json")
    try write("rain", to: "A/note.txt")
    try await here.waits { (line: SyncLine) in line.documents.contains { $0.events == ["uploaded"] } }
    try await there.waits { try items("B").map(\.name) == ["note.txt"] }
    kill(here.number, SIGINT)
    let end = try here.wait()
    #expect(end.signal == SIGINT && end.errors.contains("what is done stays"))
  }

  @Test func `checks the objects of the container, and removes what no document needs`() throws {
    struct Check: Decodable {
      var documents: Int
      var problems: [String]
    }
    try makeTwoFolders()
    try Self.rain.write(to: url("A/note.txt"))
    try cloud("sync", "A")
    let whole = try decoded(docpkg("cloud", "check", "A", "--read", "--json"), as: Check.self)
    #expect(whole.documents == 1 && whole.problems.isEmpty)
    #expect(try cloud("gc", "A", "--dry-run").hasPrefix("would remove 0 versions and 0 blobs"))
    let blobs = try FileManager.default.subpathsOfDirectory(atPath: folder.appending("disk/blobs").string)
    let content = try #require(
      blobs.map { folder.appending("disk/blobs").string + "/" + $0 }.first {
        FileManager.default.contents(atPath: $0) == Self.rain
      })
    try Data("ruin".utf8).write(to: URL(filePath: content))
    #expect(try run(tool, ["cloud", "check", "A"]).status == 0)
    let damaged = try run(tool, ["cloud", "check", "A", "--read"])
    #expect(damaged.status == 1 && damaged.output.contains("other bytes than those that were stored"))
    try FileManager.default.removeItem(atPath: content)
    let missing = try run(tool, ["cloud", "check", "A"])
    #expect(missing.status == 1 && missing.output.contains("is not there"))
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
  func `says in a sentence what is wrong`(arguments: [String], status: Int32, words: String) throws {
    try makeDirectory("empty")
    let run = try run(tool, ["cloud"] + arguments, environment: ["HOME": folder.string])
    #expect(run.status == status && run.output.isEmpty)
    #expect(run.errors.contains(words), "\(run.errors)")
  }

  @Test(arguments: [
    ["s3://me:not-a-real-secret@bucket"],
    ["s3://bucket", "--endpoint", "https://me:not-a-real-secret@nas.example"],
  ])
  func `repeats no password of an address`(address: [String]) throws {
    let run = try run(tool, ["cloud", "init"] + address + ["A"], environment: ["HOME": folder.string])
    #expect(run.status == 64 && run.errors.contains("no password"), "\(run.errors)")
    #expect(!(run.output + run.errors).contains("not-a-real-secret"))
  }

  @Test(.onTerminal) func `shows all documents on a terminal, with the rate and the time left`() throws {
    let server = try S3Server()
    let arguments = ["cloud", "init"] + server.place + ["A", "--no-encrypt"]
    let made = try run(tool, arguments, environment: S3Server.environment)
    #expect(made.status == 0, "\(made.errors)")
    let text = """
      for name in a b c; do head -c 700000 /dev/urandom > A/$name.bin; done
      TERM=xterm script -qc "'\(tool.path)' cloud sync A --limit-rate 500K" /dev/null < /dev/null
      """
    let run = try shell("set -e; \(text)", environment: S3Server.environment)
    let bar = /\[[# ]{20}\] \d+% of 3 documents, [\d.]+ (KB|MB), [\d.]+ (KB|MB)\/s, \d+ s left/
    #expect(run.output.contains(bar), "\(run.output)")
  }
}
