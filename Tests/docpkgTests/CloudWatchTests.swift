import Foundation
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg cloud sync --watch", .tags(.process), .timeLimit(.minutes(60)), .temporaryDirectory)
struct CloudWatchTests {
  /// Makes a container folder `A` in a service, and watches it.
  private func withWatchedFolder(
    _ prepare: (FilePath) throws -> Void = { _ in },
    _ body: (FilePath, S3Server, _ begin: Int, RunningProgram) async throws -> Void
  ) async throws {
    let server = try S3Server()
    let arguments = ["cloud", "init", "--no-encrypt"] + server.place + ["A"]
    let made = try run(tool, arguments, environment: S3Server.environment)
    try #require(made.status == 0, "\(made.errors)")
    try prepare(folder.appending("A"))
    let begin = server.requests.count
    let program = try tool.start(
      ["cloud", "sync", "A", "--watch", "--interval", "1", "--json"], in: folder,
      environment: S3Server.environment)
    try await body(folder.appending("A"), server, begin, program)
  }

  private func write(_ text: String, to file: FilePath) throws {
    try Data(text.utf8).write(to: URL(filePath: file.string))
  }

  @Test func `goes on with other documents if one fails`() async throws {
    try await withWatchedFolder { folder in
      // No machine with a file system that folds case could take this document.
      try createFolder(at: folder.appending("Bad.rtfd"))
      for name in ["TXT.rtf", "txt.rtf"] { try write(name, to: folder.appending("Bad.rtfd/\(name)")) }
      try write("rain", to: folder.appending("first.txt"))
    } _: { folder, _, _, program in
      try await program.waits { (line: SyncLine) in
        line.has("failed", of: "Bad.rtfd") && line.has("uploaded", of: "first.txt")
      }
      try write("sun", to: folder.appending("second.txt"))
      try await program.waits { (line: SyncLine) in line.has("uploaded", of: "second.txt") }
    }
  }

  @Test func `makes one request for a look that finds nothing, and reports the requests since the last line`()
    async throws
  {
    try await withWatchedFolder { folder in
      try write("rain", to: folder.appending("first.txt"))
    } _: { folder, server, begin, program in
      let first = try await program.waits { (line: SyncLine) in line.has("uploaded", of: "first.txt") }
      let idle = server.requests.count
      try await program.waits { server.requests.count >= idle + 8 }
      // The first look reads the entry of the upload. Then each one asks for the same: a second request would differ.
      let asked = server.requests[(idle + 3)..<(idle + 8)].map { "\($0.method) \($0.path)?\($0.query)" }
      #expect(Set(asked).count == 1 && asked[0].contains("log"), "\(asked)")
      try write("sun", to: folder.appending("second.txt"))
      let second = try await program.waits { (line: SyncLine) in line.has("uploaded", of: "second.txt") }
      // The looks between the lines count in the second one.
      let requests = server.requests
      let news = requests.indices.filter {
        requests[$0].method == "PUT" && requests[$0].path.contains("/log/")
          && !requests[$0].path.contains("/mark/")
      }
      #expect(
        news.count == 2 && first.requests + second.requests == news[1] + 1 - begin,
        "\(news), \(begin), \(first), \(second)")
    }
  }

  @Test func `tells once that a document fails`() async throws {
    let script = """
      mkdir store A A/Bad.rtfd; echo a > A/Bad.rtfd/a.rtf; echo b > A/Bad.rtfd/A.rtf; echo one > A/first.txt
      "$docpkg" cloud init store A > /dev/null
      "$docpkg" cloud sync A --watch --interval 1 > out 2> errors &
      await() { until grep -q "$1" out; do kill -0 $! || exit 1; sleep 0.05; done; }
      await 'uploaded first.txt'
      for name in second third; do echo "$name" > A/$name.txt; await "uploaded $name.txt"; done
      kill $!
      grep -c 'a.rtf' errors
      """
    let run = try Program(path: "/bin/sh").run(
      ["-c", script], in: folder, environment: ["docpkg": tool.path])
    #expect(run.output == "1\n", "\(run.output)\(run.errors)")
  }
}
