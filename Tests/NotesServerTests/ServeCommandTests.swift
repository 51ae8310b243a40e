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

  @Test func `has the same address when it starts again, and a secret that only its user can read`()
    async throws
  {
    try await withTemporaryDirectory { root in
      let environment = ["XDG_STATE_HOME": root.appending("state").string]
      var addresses: [String] = []
      for _ in 0..<2 {
        let process = try TalkingProgram(ServeFixture.tool, ["serve", root.string], environment: environment)
        addresses.append(try await process.expect("the address") { $0.first })
        process.signal(SIGTERM)
        #expect(try await process.waitForEnd().status == 0)
      }
      #expect(addresses[0] == addresses[1])
      let folder = root.appending("state/docpkg/serve").string
      let key = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).first)
      let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + key)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }
}
