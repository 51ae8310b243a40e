import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite("The page of a document that other programs move and remove")
  struct RemovedDocumentTests {
    private static func trip(_ fixture: ServeFixture) throws {
      try fixture.docpkg("new", "Trip.imageNotes", "--text", "Three valleys\nand a hut", "--quiet")
    }

    @Test func `tells that the document moved, and that it was deleted`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let address = try await browser.address
          try fixture.shell("mv Trip.imageNotes Journey.imageNotes")
          try await browser.wait(
            for: "the new address", until: "location.href !== arguments[0]", .string(address))
          try await browser.wait(
            for: "the new name", until: "document.querySelector('#name').textContent === 'Journey'")
          try await browser.putCaretAtEnd()
          try await browser.type("!")
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Journey") == "Three valleys\nand a hut!")
          try fixture.shell("rm -r Journey.imageNotes")
          try await browser.waitForLight("deleted")
          try await browser.click("#banner-new")
          try await browser.waitForText("Three valleys\nand a hut!")
          try await browser.waitForLight("saved")
          #expect(try fixture.names() == ["Note 1"])
          #expect(try fixture.text(of: "Note 1") == "Three valleys\nand a hut!")
        }
      }
    }

    @Test func `tells that a file manager moved the document to the trash, and puts it back`() async throws {
      try await ServeFixture.with(prepare: Self.trip) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          let address = try await browser.address
          try await browser.putCaretAtEnd()
          try await browser.type("!")
          try await browser.waitForText("Three valleys\nand a hut!")
          let trash = fixture.root.appending("data/Trash").string
          try fixture.shell(
            """
            mkdir -p '\(trash)/info' '\(trash)/files'
            printf '[Trash Info]\\nPath=%s\\nDeletionDate=2026-11-26T06:00:00\\n' "$PWD/Trip.imageNotes" > '\(trash)/info/Trip.imageNotes.trashinfo'
            mv Trip.imageNotes '\(trash)/files/'
            """)
          try await browser.waitForLight("deleted")
          #expect(try await browser.run("return document.querySelector('#text').isContentEditable") == false)
          try await browser.click("#banner-back")
          try await browser.waitForLight("saved")
          #expect(try await browser.address == address)
          #expect(try fixture.names() == ["Trip"])
          #expect(try FileManager.default.contentsOfDirectory(atPath: trash + "/info").isEmpty)
          try await browser.putCaretAtEnd()
          try await browser.type("?")
          try await browser.waitForText("Three valleys\nand a hut!?")
          try await browser.waitForLight("saved")
          #expect(try fixture.text(of: "Trip") == "Three valleys\nand a hut!?")
          #expect(try await browser.complaints() == [])

          // A page that is loaded again says where the document is.
          try fixture.shell(
            """
            printf '[Trash Info]\\nPath=%s\\nDeletionDate=2026-11-26T06:00:00\\n' "$PWD/Trip.imageNotes" > '\(trash)/info/Trip.imageNotes.trashinfo'
            mv Trip.imageNotes '\(trash)/files/'
            """)
          try await browser.waitForLight("deleted")
          try await browser.reload()
          try await browser.wait(
            for: "the banner of the deleted document",
            until: "document.querySelector('#banner').textContent.includes(\"'Trip' was deleted.\")")
          try await browser.click("#banner-back")
          try await browser.waitForDocument()
          try await browser.waitForText("Three valleys\nand a hut!?")
        }
      }
    }
  }
}
