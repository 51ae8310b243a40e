import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

@Suite("docpkg serve", .tags(.process))
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
