import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite("The images of a document's page")
  struct DocumentImagesTests {
    private static func trip(_ fixture: ServeFixture) throws {
      try fixture.docpkg("new", "Trip.imageNotes", "--text", "Three valleys\nand a hut", "--quiet")
    }

    @Test func `adds, describes, moves, replaces and removes images`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          let names: @Sendable () throws -> [String] = { try fixture.shown("Trip").images.map(\.name) }
          try await browser.openDocument("Trip", of: fixture)
          try await browser.choose(
            [ServeFixture.picture("Dawn.png"), ServeFixture.picture("Lake.jpeg")], with: "#image-file")
          try await browser.wait(
            for: "two images", until: "document.querySelectorAll('li.image').length === 2")
          #expect(try names() == ["Dawn.png", "Lake.jpeg"])

          try await browser.click("li.image:nth-child(2) .caption")
          try await browser.type("Evening at the lake")
          try await browser.press(.tab)
          try await fixture.wait(for: "the caption") {
            try fixture.shown("Trip").images.last?.caption == "Evening at the lake"
          }

          try await browser.click("li.image:nth-child(2) .image-up")
          try await fixture.wait(for: "the order") { try names() == ["Lake.jpeg", "Dawn.png"] }
          try await browser.wait(
            for: "the order",
            until: "document.querySelector('li.image .caption').value === 'Evening at the lake'")
          try await browser.press(.down, with: .alt)
          try await fixture.wait(for: "the order") { try names() == ["Dawn.png", "Lake.jpeg"] }

          try await browser.drag("li.image:nth-child(2) .handle", to: "li.image:nth-child(1)")
          try await fixture.wait(for: "the order") { try names() == ["Lake.jpeg", "Dawn.png"] }

          // Replacing opens the chooser of files, which a test cannot use; the field behind it takes the file.
          try await browser.run(
            "HTMLInputElement.prototype.click = () => {}; document.querySelector('li.image .image-replace').click()"
          )
          try await browser.choose([ServeFixture.picture("Hut.jpeg")], with: "#image-file")
          try await fixture.wait(for: "the other picture") {
            try fixture.shown("Trip").images.map(\.originalFilename) == ["Hut.jpeg", "Dawn.png"]
          }

          try await browser.click("li.image:nth-child(2) .image-remove")
          try await browser.wait(
            for: "one image", until: "document.querySelectorAll('li.image').length === 1")
          try await browser.click("#undo")
          try await browser.wait(
            for: "two images", until: "document.querySelectorAll('li.image').length === 2")
          try await browser.waitForLight("saved")
          #expect(try names() == ["Lake.jpeg", "Dawn.png"])
          #expect(try await browser.complaints() == [])
        }
      }
    }

    @Test func `is not saved while a picture is on its way, and forgets the caption of one that is gone`()
      async throws
    {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          try await browser.run(
            """
            const plain = window.fetch;
            window.fetch = async (path, options) => {
              if (options?.method === 'PUT') await new Promise((done) => (window.goOn = done));
              return plain(path, options);
            };
            """)
          try await browser.choose([ServeFixture.picture("Dawn.png")], with: "#image-file")
          try await browser.wait(for: "the request", until: "window.goOn !== undefined")
          try await browser.waitForLight("unsaved")
          try await browser.run("window.goOn()")
          try await browser.waitForLight("saved")
          try await browser.run(
            """
            const caption = document.querySelector('li.image .caption');
            caption.value = 'Evening';
            caption.dispatchEvent(new Event('input', { bubbles: true }));
            document.querySelector('li.image .image-remove').click();
            """)
          try await browser.wait(
            for: "no image", until: "document.querySelectorAll('li.image').length === 0")
          try await browser.waitForLight("saved")
        }
      }
    }

    @Test func `takes pictures by drop and paste, and refuses other files`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let picture = try Data(contentsOf: ServeFixture.demo.appending(path: "Dawn.png"))
          let transfer = """
            const bytes = Uint8Array.from(atob(arguments[0]), (c) => c.charCodeAt(0));
            const data = new DataTransfer();
            data.items.add(new File([bytes], arguments[1], { type: 'image/png' }));
            """
          try await browser.run(
            transfer
              + """
              for (const type of ['dragenter', 'dragover', 'drop'])
                document.querySelector('#images').dispatchEvent(
                  new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
              """, .string(picture.base64EncodedString()), "Dropped.png")
          try await browser.wait(
            for: "one image", until: "document.querySelectorAll('li.image').length === 1")
          try await browser.click("#text")
          try await browser.run(
            transfer
              + """
              document.querySelector('#text').dispatchEvent(
                new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
              """, .string(picture.base64EncodedString()), "Pasted.png")
          try await browser.wait(
            for: "two images", until: "document.querySelectorAll('li.image').length === 2")
          #expect(try fixture.shown("Trip").images.map(\.name) == ["Dropped.png", "Pasted.png"])
          try await browser.choose(
            [fixture.documents.appending("Trip.imageNotes/Text.txt").string], with: "#image-file")
          try await browser.wait(
            for: "the refusal", until: "document.querySelector('#alerts').textContent.includes('Text')")
          #expect(try fixture.shown("Trip").images.count == 2)
        }
      }
    }
  }
}
