import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite("The page of a document")
  struct DocumentPageTests {
    private static func trip(_ fixture: ServeFixture) throws {
      try fixture.docpkg("new", "Trip.imageNotes", "--text", "Three valleys\nand a hut", "--quiet")
    }

    @Test func `saves what is typed, and undoes and redoes it`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          try await browser.waitForText("Three valleys\nand a hut")
          #expect(try await browser.run("return document.querySelector('#name').textContent") == "Trip")
          // A slow machine makes pauses between keys, which are steps of their own.
          try await browser.run("performance.now = () => 0")
          try await browser.putCaretAtEnd()
          try await browser.type(".\nRain 🏔 at noon")
          try await browser.waitForText("Three valleys\nand a hut.\nRain 🏔 at noon")
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Three valleys\nand a hut.\nRain 🏔 at noon")

          let steps = [
            "Three valleys\nand a hut.\nRain 🏔 at noon", "Three valleys\nand a hut.\n",
            "Three valleys\nand a hut",
          ]
          for text in steps.dropFirst() {
            try await browser.press("z", with: .control)
            try await browser.waitForText(text)
          }
          for text in steps.reversed().dropFirst() {
            try await browser.click("#redo")
            try await browser.waitForText(text)
          }
          for text in steps.dropFirst() {
            try await browser.click("#undo")
            try await browser.waitForText(text)
          }
          try await browser.press("s", with: .control)
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Three valleys\nand a hut")

          // Deleting across lines, and typing over a selection.
          try await browser.click("#text")
          try await browser.press("a", with: .control)
          try await browser.type("New")
          try await browser.waitForText("New")
          try await browser.press(.enter)
          try await browser.type("line")
          try await browser.press(.home)
          try await browser.press(.backspace)
          try await browser.waitForText("Newline")
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Newline")

          try fixture.docpkg("edit", "Trip.imageNotes", "--title", "Days", "--quiet")
          try await browser.wait(for: "the title", until: "document.querySelector('#title').value === 'Days'")
          try await browser.click("#title")
          try await browser.press("a", with: .control)
          try await browser.type("A week")
          try await browser.press(.enter)
          try await browser.wait(for: "the title", until: "document.title === 'A week'")
          #expect(try fixture.shown("Trip").title == "A week")
          let complaints = try await browser.complaints()
          #expect(complaints == [])
        }
      }
    }

    @Test func `has its caret in a new document, and asks no question once the server has the words`()
      async throws
    {
      try await ServeFixture.with { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          try await browser.click("#new")
          try await browser.waitForDocument()
          #expect(
            try await browser.run("return document.querySelector('#text').hasAttribute('data-empty')") == true
          )
          // Notes whether the page could be left while its words were not durable.
          try await browser.run(
            """
            window.questions = [];
            setInterval(() => {
              const event = new Event('beforeunload', { cancelable: true });
              dispatchEvent(event);
              const isUnsaved = ['unsaved', 'saving'].includes(document.querySelector('#light').dataset.light);
              if (isUnsaved && document.querySelector('#text').textContent.length === 13) questions.push(event.defaultPrevented);
            }, 5);
            """)
          try await browser.type("Begun at once")
          try await browser.waitForText("Begun at once")
          try await browser.waitForLight("saved")
          #expect(try await browser.run("return questions.includes(false)") == true)
          let port = try fixture.address.port
          try await fixture.kill()
          try await browser.waitForLight("offline")
          try await browser.type("!")
          #expect(
            try await browser.run(
              """
              const event = new Event('beforeunload', { cancelable: true });
              dispatchEvent(event);
              return event.defaultPrevented;
              """) == true)
          try await fixture.start(port: port)
          try await browser.waitForLight("saved")
        }
      }
    }

    @Test func `rests if it is opened in the background`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.devTools(
            "Page.addScriptToEvaluateOnNewDocument",
            [
              "source":
                "Object.defineProperty(document, 'hidden', { get: () => window.isHidden ?? true, configurable: true });"
            ])
          try await browser.openDocument("Trip", of: fixture)
          try await browser.wait(for: "rest", until: "document.body.dataset.stream === 'closed'")
          try await browser.run(
            "window.isHidden = false; document.dispatchEvent(new Event('visibilitychange'));")
          try await browser.waitForLight("saved")
        }
      }
    }

    @Test func `is the same in two windows, which see each other's edits at once`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let (first, address) = (try await browser.window, try await browser.address)
          let second = try await browser.newWindow()
          try await browser.turn(to: second)
          try await browser.go(to: address)
          try await browser.waitForDocument()
          try await browser.putCaretAtEnd()
          try await browser.type(" and snow")
          try await browser.wait(
            for: "the other tab", until: "document.querySelector('#tabs').dataset.count === '1'")
          try await browser.turn(to: first)
          try await browser.waitForText("Three valleys\nand a hut and snow")
          try await browser.click("#text")
          try await browser.press(.home, with: .control)
          try await browser.type("Our ")
          try await browser.turn(to: second)
          try await browser.waitForText("Our Three valleys\nand a hut and snow")
          // The caret is still at its own text.
          try await browser.type("!")
          try await browser.waitForText("Our Three valleys\nand a hut and snow!")
          try await browser.turn(to: first)
          try await browser.waitForText("Our Three valleys\nand a hut and snow!")
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Our Three valleys\nand a hut and snow!")
          #expect(try await browser.complaints() == [])
        }
      }
    }

    @Test func `shows another program's edit under the cursor while a person types`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          try await browser.putCaretAtEnd()
          try await browser.type(" with")
          try await browser.waitForLight("saved")
          // The file has the text, too, before a program without this library writes another one.
          #expect(try fixture.text(of: "Trip") == "Three valleys\nand a hut with")
          try fixture.shell(
            "printf 'Monday\\nThree valleys\\nand a hut with' > ../Text.txt && mv ../Text.txt Trip.imageNotes/Text.txt"
          )
          try await browser.type(" a stove")
          try await browser.waitForText("Monday\nThree valleys\nand a hut with a stove")
          try fixture.docpkg(
            "edit", "Trip.imageNotes", "--add-image", ServeFixture.picture("Dawn.png"), "--quiet")
          try await browser.wait(
            for: "the image", until: "document.querySelectorAll('li.image').length === 1")
          try await browser.type(".")
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Monday\nThree valleys\nand a hut with a stove.")
        }
      }
    }

    @Test func `goes on when the server is killed and starts again, and loses no edit`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          try await browser.putCaretAtEnd()
          try await browser.type(" and rain")
          let port = try fixture.address.port
          try await fixture.kill()
          try await browser.waitForLight("offline")
          try await browser.type(" for days")
          // Another program edits the document meanwhile.
          let saved = try fixture.text(of: "Trip")
          try fixture.docpkg("edit", "Trip.imageNotes", "--text", "Monday\n" + saved, "--quiet")
          try await fixture.start(port: port)
          try await browser.waitForText("Monday\nThree valleys\nand a hut and rain for days")
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Monday\nThree valleys\nand a hut and rain for days")
        }
      }
    }

    @Test
    func `saves a word whose lost answer arrives after the page has connected again`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let port = try fixture.address.port
          // The network swallows the first edit, and the browser reports that after the page has connected again.
          try await browser.run(
            """
            const plain = window.fetch;
            const page = document.body.dataset;
            const until = async (isSo) => { while (!isSo()) await new Promise((done) => setTimeout(done, 5)); };
            window.fetch = async (path, options) => {
              if (!path.endsWith('/text')) return plain(path, options);
              window.fetch = plain;
              await until(() => page.stream === 'lost');
              delete page.ready;
              await until(() => page.ready);
              throw new TypeError('Failed to fetch');
            };
            """)
          try await browser.putCaretAtEnd()
          try await browser.type(" and rain")
          try await fixture.kill()
          try await fixture.start(port: port)
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Three valleys\nand a hut and rain")
        }
      }
    }

    @Test(arguments: 0..<3)
    func `has each word once after a killed server, also with two windows that both write`(round: Int)
      async throws
    {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let (port, page) = (try fixture.address.port, try await browser.address)
          let windows = [try await browser.window, try await browser.newWindow()]
          try await browser.turn(to: windows[1])
          try await browser.go(to: page)
          try await browser.waitForDocument()
          var words: [String] = []
          func write(_ word: String) async throws {
            for (number, window) in windows.enumerated() {
              try await browser.turn(to: window)
              try await browser.putCaretAtEnd()
              words.append("\(word)\(number)")
              try await browser.type(" \(word)\(number)")
            }
          }
          try await write("before")
          // Each window has the words of the other one, which are not durable yet.
          if round > 0 { try await browser.waitForText("Three valleys\nand a hut before0 before1") }
          try await fixture.kill()
          try await write("without")
          try await fixture.start(port: port)
          if round > 1 { try await write("after") }
          for window in windows {
            try await browser.turn(to: window)
            try await browser.waitForLight("saved")
          }
          let texts = [try fixture.text(of: "Trip"), try await browser.text]
          #expect(texts[0] == texts[1])
          for word in words {
            #expect(texts[0].components(separatedBy: word).count == 2, "\(word): \(texts[0])")
          }
          #expect(try await browser.complaints() == [])
        }
      }
    }

    @Test(.enabled(if: ServeFixture.canMount, "a small disk needs root"))
    func `tells of a full disk, keeps the text, and saves when there is room again`() async throws {
      try await ServeFixture.withSmallDisk("6m") { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let folder = try fixture.documentsOfServer.string
          try fixture.shell("dd if=/dev/zero of='\(folder)/filler' bs=64k status=none || true")
          try await browser.putCaretAtEnd()
          try await browser.type(" and snow")
          try await browser.waitForLight("error")
          try await browser.wait(
            for: "the reason",
            until: "document.querySelector('#banner-text').textContent.toLowerCase().includes('no space')")
          try await browser.type(" all day")
          try await browser.waitForText("Three valleys and snow all day")
          try fixture.shell("rm '\(folder)/filler'")
          // On a slow machine the document has saved itself by now, and its banner is gone.
          try await browser.run("document.querySelector('#banner-retry').click()")
          try await browser.waitForLight("saved")
          try await fixture.wait(for: "the text on the disk") {
            try String(contentsOfFile: folder + "/Trip.imageNotes/Text.txt", encoding: .utf8)
              == "Three valleys and snow all day"
          }
          try await browser.wait(for: "no banner", until: "document.querySelector('#banner').hidden")
        }
      }
    }
  }
}
