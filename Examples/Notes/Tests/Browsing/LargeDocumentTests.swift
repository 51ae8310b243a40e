import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite("A document of 5 MB of text and 500 images")
  struct LargeDocumentTests {
    private static func fill(_ fixture: ServeFixture) throws {
      try fixture.docpkg("new", "Empty.imageNotes", "--text", "", "--quiet")
      let folder = fixture.documents.appending("Large.imageNotes").string
      try FileManager.default.createDirectory(atPath: folder + "/Images", withIntermediateDirectories: true)
      let line = "A line of a long text, with words as people write them in the evening at a hut.\n"
      try Data(String(repeating: line, count: 5_000_000 / line.utf8.count).utf8)
        .write(to: URL(filePath: folder + "/Text.txt"))
      for number in 1...500 {
        try FileManager.default.copyItem(
          atPath: ServeFixture.picture("Lake.jpeg"), toPath: "\(folder)/Images/Lake \(number).jpeg")
      }
    }

    /// Types letters, and returns the time from each key to the next picture of the page, in milliseconds.
    private func type(_ count: Int, in browser: Browser) async throws -> [Double] {
      try await browser.run(
        """
        window.times = [];
        document.querySelector('#text').addEventListener('keydown', () => {
          const start = performance.now();
          requestAnimationFrame(() => {
            const channel = new MessageChannel();
            channel.port1.onmessage = () => times.push(performance.now() - start);
            channel.port2.postMessage(null);
          });
        });
        """)
      for number in 0..<count {
        try await browser.type(String("abcdefgh".dropFirst(number % 8).first ?? "a"))
      }
      return try await browser.wait(
        for: "all pictures", until: "times.length >= arguments[0] && times", .number(Double(count))
      ).elements.compactMap(\.number).sorted()
    }

    /// The bytes of the bodies that the page sent, and their number.
    private func sent(_ browser: Browser) async throws -> (bytes: Int, requests: Int) {
      let bodies = try await browser.networkEvents().filter { $0.method == "Network.requestWillBeSent" }
        .compactMap { $0.parameters["request"]["postData"].string?.utf8.count }
      return (bodies.reduce(0, +), bodies.count)
    }

    @Test func `costs for a letter what an empty document costs, and writes only the text`() async throws {
      try await ServeFixture.with(prepare: Self.fill) { fixture in
        try await Browser.with(logsNetwork: true) { browser in
          let letters = ProcessInfo.processInfo.environment["LETTERS"].flatMap { Int($0) } ?? 40
          try await browser.openDocument("Empty", of: fixture)
          try await browser.click("#text")
          let empty = try await type(letters, in: browser)
          try await browser.waitForLight("saved")

          try await browser.openDocument("Large", of: fixture)
          try await browser.wait(
            for: "the images", until: "document.querySelectorAll('li.image').length === 500")
          let before = try images(fixture)
          try await browser.click("#text")
          try await browser.press(.home, with: .control)
          _ = try await sent(browser)
          let large = try await type(letters, in: browser)
          try await browser.waitForLight("saved")
          let cost = try await sent(browser)
          // Each request has one letter or more, and the names of the tab, the edit and the run.
          #expect(cost.bytes / letters < 300, "\(cost)")
          #expect(try images(fixture) == before)
          let text = try fixture.text(of: "Large")
          #expect(text.hasPrefix(String("abcdefgh".prefix(min(8, letters)))))
          let medians = [empty[empty.count / 2], large[large.count / 2]]
          print(
            "from key to picture: \(medians[1]) ms beside \(medians[0]) ms, ratio \(medians[1] / medians[0]); "
              + "\(cost.bytes / letters) bytes a letter in \(cost.requests) requests")
        }
      }
    }

    /// The inode and the time of each image: a save that wrote one would change them.
    private func images(_ fixture: ServeFixture) throws -> String {
      try fixture.shell("find Large.imageNotes/Images -printf '%p %i %T@\\n' | sort").output
    }
  }
}
