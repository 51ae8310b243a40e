import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite(
    "Another server of this machine",
    .enabled(if: PageModuleTests.node != nil, "nodejs is not installed: 'make prepare' installs it"))
  struct OtherServerTests {
    /// Runs `body` with a program that writes down each request at a port.
    private func withSquatter(
      at port: Int, _ body: (TalkingProgram) async throws -> Void
    ) async throws {
      let script = PageModuleTests.folder.appending(path: "Keys/squatter.mjs").path
      let squatter = try TalkingProgram(try #require(PageModuleTests.node), [script, String(port)])
      _ = try await squatter.expect("the other server") { $0.first { $0 == "ready" } }
      do {
        try await body(squatter)
      } catch {
        try? await squatter.kill()
        throw error
      }
      try await squatter.kill()
    }

    @Test func `at another port gets no token, whatever its name`() async throws {
      try await ServeFixture.with { fixture in
        // The port of a server that has ended.
        var port = 0
        try await ServeFixture.with { port = try $0.address.port }
        try await withSquatter(at: port) { squatter in
          try await Browser.with { browser in
            try await browser.openLibrary(of: fixture)
            for name in ["127.0.0.1", "localhost", "other.localhost"] {
              try await browser.go(to: "http://\(name):\(port)/\(name)")
              _ = try await squatter.expect("a request") { lines in
                lines.first { $0.contains("/\(name)\"") }
              }
            }
          }
          let requests = squatter.lines.joined(separator: "\n")
          #expect(!requests.contains(try fixture.address.token) && !requests.contains("docpkg"))
        }
      }
    }

    @Test func `at the server's own port gets no token and no words, and does not replace the page's text`()
      async throws
    {
      try await ServeFixture.with(prepare: { fixture in
        try fixture.docpkg("new", "Trip.imageNotes", "--text", "Three valleys", "--quiet")
      }) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let address = try fixture.address
          try await browser.putCaretAtEnd()
          try await browser.type(" and")
          try await browser.waitForLight("saved")
          try await fixture.kill()
          try await withSquatter(at: address.port) { squatter in
            try await browser.type(" secret words")
            try await browser.wait(
              for: "the warning",
              until: "document.querySelector('#banner-text').textContent.includes('Another program')")
            // The page asks again and again.
            _ = try await squatter.expect("three requests") { lines in
              lines.filter { $0.contains("/api/proof") }.dropFirst(2).first
            }
            #expect(try await browser.text == "Three valleys and secret words")
            for request in squatter.lines where request != "ready" {
              let value = try JSON(parsing: request.utf8)
              #expect(value["method"] == "GET" && value["body"] == "")
              #expect(value["url"].string?.hasPrefix("/api/proof?number=") == true)
              #expect(value["headers"]["cookie"] == .null)
            }
            let requests = squatter.lines.joined(separator: "\n")
            #expect(!requests.contains(address.token) && !requests.contains("words"))
          }
          // The server is back, with another secret: the page goes on without the user.
          try await fixture.start(port: address.port)
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Three valleys and secret words")
          #expect(try fixture.address.token != address.token)
        }
      }
    }

    @Test func `at the server's own port gets a useless cookie from a page that loads anew`() async throws {
      try await ServeFixture.with(prepare: { fixture in
        try fixture.docpkg("new", "Trip.imageNotes", "--text", "Three valleys", "--quiet")
      }) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let address = try fixture.address
          let keys = fixture.root.appending("state/docpkg/serve").string
          let key = try String(
            contentsOfFile: keys + "/" + FileManager.default.contentsOfDirectory(atPath: keys)[0],
            encoding: .utf8)
          var cookie = ""
          try await fixture.kill()
          try await withSquatter(at: address.port) { squatter in
            try await browser.reload()
            let request = try await squatter.expect("the page's request") { lines in
              lines.first { $0.contains("\"url\":\"/d/") }
            }
            cookie = try JSON(parsing: request.utf8)["headers"]["cookie"].string ?? ""
            // What the other program's own script finds under this address.
            let stores =
              try await browser.run(
                "return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])"
              ).string ?? ""
            let found = stores + squatter.lines.joined(separator: "\n")
            #expect(key.utf8.count == 43 && !found.contains(key))
          }
          try await fixture.start(port: address.port)
          let visitor = try await Visitor(fixture)
          let head = "GET /api/key HTTP/1.1\r\nHost: \(visitor.host)\r\nConnection: close\r\nCookie: "
          let answers = [
            try await visitor.exchange("\(head)\(cookie)\r\n\r\n"),
            try await visitor.exchange("\(head)\(visitor.cookie)\r\n\r\n"),
          ].map { String(decoding: $0, as: UTF8.self) }
          #expect(cookie.contains(address.token) && answers[0].hasPrefix("HTTP/1.1 401 "))
          #expect(answers[1].hasPrefix("HTTP/1.1 200 ") && answers[1].contains(key))
        }
      }
    }
  }
}
