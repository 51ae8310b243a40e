import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite("The library")
  struct LibraryPageTests {
    @Test func `makes, renames, duplicates, deletes and brings back documents by the keyboard`() async throws
    {
      try await ServeFixture.with { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          try await browser.wait(for: "the invitation", until: "!document.querySelector('#empty').hidden")
          try await browser.press("n")
          try await browser.waitForDocument()
          try await browser.waitForLight("saved")
          try await browser.click("#back")
          try await browser.waitForLibrary()
          try await browser.waitForRows("Note 1")

          try await browser.press(.down)
          try await browser.press(.f2)
          try await browser.wait(for: "the field", until: "document.activeElement.matches('.row-rename')")
          try await browser.press("a", with: .control)
          try await browser.type("Alps")
          try await browser.press(.enter)
          try await browser.waitForRows("Alps")
          #expect(try fixture.names() == ["Alps"])

          try await browser.click(".row-menu")
          try await browser.click("#menu [data-action=duplicate]")
          try await browser.wait(for: "the copy", until: "document.querySelectorAll('.row').length === 2")
          #expect(try fixture.names() == ["Alps", "Alps copy"])

          try await browser.run("document.querySelector('#sort').value = 'name'")
          try await browser.run("document.querySelector('#sort').dispatchEvent(new Event('change'))")
          try await browser.waitForRows("Alps", "Alps copy")
          try await browser.run("document.querySelector('.row[aria-rowindex=\"2\"]').focus()")
          try await browser.press(.delete)
          try await browser.waitForRows("Alps")
          #expect(try fixture.names() == ["Alps"])
          try await browser.click("#notices .notice-action")
          try await browser.waitForRows("Alps", "Alps copy")
          #expect(try fixture.names() == ["Alps", "Alps copy"])
          #expect(try await browser.complaints() == [])
        }
      }
    }

    @Test func `follows what other programs do, and searches`() async throws {
      try await ServeFixture.with(prepare: { fixture in
        try fixture.docpkg("new", "Trip.imageNotes", "--text", "Three valleys\nand a hut")
      }) { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          try await browser.waitForRows("Trip")
          try await browser.wait(
            for: "the first line",
            until: "document.querySelector('.row-line').textContent === 'Three valleys — and a hut'")
          try fixture.docpkg(
            "new", "Harbour.imageNotes", "--text", "Boats", "--image", ServeFixture.picture("Lake.jpeg"))
          try await browser.wait(for: "both", until: "document.querySelectorAll('.row').length === 2")
          try await browser.wait(
            for: "the picture",
            until:
              "(() => { const i = document.querySelector('img.row-thumb'); return i && i.naturalWidth > 0 })()"
          )
          try fixture.shell("mv Trip.imageNotes Journey.imageNotes")
          try await browser.wait(
            for: "the new name",
            until: "[...document.querySelectorAll('.row-name')].some((e) => e.textContent === 'Journey')")
          try fixture.docpkg("edit", "Journey.imageNotes", "--text", "Rain\nall day", "--quiet")
          try await browser.wait(
            for: "the new line",
            until:
              "[...document.querySelectorAll('.row-line')].some((e) => e.textContent === 'Rain — all day')")

          try await browser.press("/")
          try await browser.type("harb")
          try await browser.waitForRows("Harbour")
          // While the search still reads, the count says more.
          try await browser.wait(
            for: "the count", until: "document.querySelector('#count').textContent === '1 of 2 documents'")
          try await browser.type("zzz")
          try await browser.wait(for: "no match", until: "!document.querySelector('#no-match').hidden")
          try await browser.press("a", with: .control)
          try await browser.type("rain")
          try await browser.waitForRows("Journey")
          try await browser.press(.escape)
          try await browser.wait(for: "both", until: "document.querySelectorAll('.row').length === 2")
          try fixture.shell("rm -r Harbour.imageNotes")
          try await browser.waitForRows("Journey")
          #expect(try await browser.complaints() == [])
        }
      }
    }

    @Test func `imports archives, other documents, texts and pictures, and exports`() async throws {
      try await ServeFixture.with(prepare: { fixture in
        try fixture.docpkg(
          "new", "Trip.imageNotes", "--text", "Three valleys", "--image", ServeFixture.picture("Dawn.png"))
        try fixture.shell(
          """
          "$0" export Trip.imageNotes ../Archive.zip --quiet
          "$0" export Trip.imageNotes ../Bundle.textpack --quiet
          printf '# Peaks\\n\\nSnow.\\n' > ../Peaks.md
          printf 'Plain words' > ../Words.txt
          printf 'no archive' > ../Broken.zip
          """)
      }) { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          let folder = fixture.root
          let files = ["Archive.zip", "Bundle.textpack", "Peaks.md", "Words.txt"].map {
            folder.appending($0).string
          }
          try await browser.choose(files + [ServeFixture.picture("Lake.jpeg")], with: "#import-file")
          try await browser.wait(
            for: "the documents", until: "document.querySelectorAll('.row').length === 6")
          #expect(try fixture.names() == ["Archive", "Bundle", "Lake", "Peaks", "Trip", "Words"])
          #expect(try fixture.text(of: "Archive") == "Three valleys")
          #expect(try fixture.shown("Bundle").images.count == 1)
          #expect(try fixture.shown("Lake").images.map(\.name) == ["Lake.jpeg"])
          #expect(try fixture.text(of: "Words") == "Plain words")

          try await browser.choose([folder.appending("Broken.zip").string], with: "#import-file")
          try await browser.wait(for: "the error", until: "document.querySelector('#alerts').textContent")
          #expect(try fixture.names().count == 6)

          try await browser.click(link: "Trip")
          try await browser.waitForDocument()
          let size = try await browser.runAsync(
            """
            const response = await fetch(`/api/documents/${location.pathname.split('/')[2]}/export`);
            const bytes = new Uint8Array(await response.arrayBuffer());
            return [response.status, response.headers.get('content-disposition'), String.fromCharCode(...bytes.slice(0, 2))];
            """)
          #expect(size[0] == 200)
          #expect(size[1].string?.contains("Trip.zip") == true)
          #expect(size[2] == "PK")

          try fixture.shell("echo drawn > Trip.imageNotes/Sketch.bin")
          try await browser.click("#export")
          try await browser.click("#menu [data-action=markdown]")
          try await browser.wait(
            for: "what the download lacks",
            until: "document.querySelector('#alerts').textContent.includes(\"'Sketch.bin' is left out\")")
        }
      }
    }

    @Test func `has only the visible rows of many documents in the page`() async throws {
      try await ServeFixture.with(prepare: { fixture in
        try fixture.docpkg("new", "Note 0.imageNotes", "--text", "First", "--quiet")
        try fixture.shell(
          "for n in $(seq 1 2000); do mkdir \"Note $n.imageNotes\"; echo \"Line $n\" > \"Note $n.imageNotes/Text.txt\"; done"
        )
      }) { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          try await browser.wait(
            for: "all documents", until: "document.querySelector('#count').textContent === '2,001 documents'")
          for key in [Browser.Key.end, .home, .pageDown, .end] {
            if key == .end { try await browser.press(.down) }
            try await browser.press(key)
            #expect(
              try await browser.run("return document.querySelectorAll('.row').length").integer ?? 0 < 60)
          }
          try await browser.wait(
            for: "the last row", until: "document.activeElement.getAttribute('aria-rowindex') === '2001'")
        }
      }
    }
  }
}
