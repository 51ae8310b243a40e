import Foundation
import Glibc
import SystemPackage
import Testing

@Suite("docpkg serve")
struct ServeCommandTests {
  @Test func `refuses what is no folder, and a port in use`() async throws {
    try await ServeFixture.with(prepare: { fixture in
      try fixture.docpkg("new", "Trip.imageNotes", "--text", "Three valleys", "--quiet")
    }) { fixture in
      let port = try fixture.address.port
      let mistakes: [([String], String)] = [
        (["serve", "nothing"], "'nothing' is no folder."),
        (["serve", "Trip.imageNotes"], "'Trip.imageNotes' is a document: give the folder that it is in."),
        (["serve", ".", "--container", "."], "is in no folder of a container"),
        (
          ["serve", ".", "--port", "\(port)"],
          "Another program uses the port \(port). Give another one, or leave out --port."
        ),
      ]
      for (arguments, message) in mistakes {
        let run = try await waiting { [documents = fixture.documents] in
          try ServeFixture.tool.run(arguments, in: documents)
        }
        #expect(run.status == 2, "\(arguments)")
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(run.output.isEmpty)
      }
    }
  }

  @Test func `opens the browser by a page, so that no list of processes shows the secret`() async throws {
    try await withTemporaryDirectory { root in
      let (programs, runtime) = (root.appending("bin").string, root.appending("run").string)
      for folder in [programs, runtime] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      }
      // It tells what it was started with, and what it can read there.
      let script = """
        #!/bin/sh
        { stat -c %a "$1"; echo "$# $1"; cat "$1"; } >"$0.new" && mv "$0.new" "$0.told"

        """
      try Data(script.utf8).write(to: URL(filePath: programs + "/xdg-open"))
      chmod(programs + "/xdg-open", 0o755)
      let told = programs + "/xdg-open.told"
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      let process = try TalkingProgram(
        ServeFixture.tool, ["serve", "--open", root.string],
        environment: [
          "PATH": "\(programs):\(path)", "XDG_RUNTIME_DIR": runtime,
          "XDG_STATE_HOME": root.appending("state").string,
        ])
      let address = try await process.expect("the address") {
        $0.lazy.compactMap(ServeFixture.address).first
      }
      try await withDeadline("the start of xdg-open") {
        while access(told, F_OK) != 0 { try await Task.sleep(for: .milliseconds(30)) }
      }
      let lines = try String(contentsOfFile: told, encoding: .utf8).split(separator: "\n")
      try #require(lines.count > 2)
      #expect(lines[0] == "600")
      #expect(lines[1].hasPrefix("1 \(runtime)/docpkg-") && !lines[1].contains(address.token))
      #expect(lines.contains { $0.hasSuffix("url=\(address.entry)\">") }, "\(lines)")
      process.signal(SIGTERM)
      #expect(try await process.waitForEnd().status == 0)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: runtime).allSatisfy { !$0.hasSuffix(".html") })
    }
  }

  @Test func `has the same place and another secret when it starts again, and no other user reads its key`()
    async throws
  {
    try await withTemporaryDirectory { root in
      let environment = ["XDG_STATE_HOME": root.appending("state").string]
      var addresses: [ServeFixture.Address] = []
      for _ in 0..<2 {
        let process = try TalkingProgram(ServeFixture.tool, ["serve", root.string], environment: environment)
        addresses.append(
          try await process.expect("the address") { $0.lazy.compactMap(ServeFixture.address).first })
        process.signal(SIGTERM)
        #expect(try await process.waitForEnd().status == 0)
      }
      #expect(addresses[0].host == addresses[1].host)
      #expect(addresses[0].token != addresses[1].token)
      let folder = root.appending("state/docpkg/serve").string
      let key =
        folder + "/" + (try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first))
      let attributes = try FileManager.default.attributesOfItem(atPath: key)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      if getuid() == 0 {
        // A second user of the machine, also if all folders on the way are open.
        let script = "chmod a+rx \(root.string) && setpriv --reuid=65534 --clear-groups cat '\(key)'"
        let run = try await waiting { try Program(path: "/bin/sh").run(["-c", script]) }
        #expect(run.status != 0 && run.output.isEmpty && run.errors.contains("Permission denied"), "\(run)")
      }
    }
  }

  @Test func `has its port outside of the range for outgoing connections`() async throws {
    let file = try String(contentsOfFile: "/proc/sys/net/ipv4/ip_local_port_range", encoding: .utf8)
    let range = file.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try await withTemporaryDirectory { root in
      let environment = ["XDG_STATE_HOME": root.appending("state").string]
      let process = try TalkingProgram(ServeFixture.tool, ["serve", root.string], environment: environment)
      let address = try await process.expect("the address") { $0.lazy.compactMap(ServeFixture.address).first }
      // On a machine that takes outgoing ports from nearly all, there is no port outside.
      #expect(address.port < range[0] || address.port > range[1] || range[1] - range[0] > 60_000)
      process.signal(SIGTERM)
      #expect(try await process.waitForEnd().status == 0)
    }
  }
}
