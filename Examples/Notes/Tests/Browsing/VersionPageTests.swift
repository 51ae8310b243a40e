import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite("The pages of versions")
  struct VersionPageTests {
    @Test func `show what each version changed, and restore it or one of its images`() async throws {
      try await ServeFixture.with(prepare: { fixture in
        try fixture.docpkg(
          "new", "Trip.imageNotes", "--text", "Three valleys", "--image", ServeFixture.picture("Dawn.png"),
          "--quiet")
        try fixture.docpkg("versions", "start", "Trip.imageNotes")
        try fixture.docpkg("edit", "Trip.imageNotes", "--append", "and a hut", "--quiet")
        try fixture.docpkg("edit", "Trip.imageNotes", "--remove-image", "Dawn.png", "--quiet")
      }) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          try await browser.click("#history")
          try await browser.openSession(of: 3)
          try await browser.wait(for: "the days", until: "document.querySelectorAll('h2.day').length >= 1")
          try await browser.clickVersion(1)
          try await browser.wait(
            for: "the line that it added",
            until:
              "[...document.querySelectorAll('.line[data-kind=added]')].some((e) => e.textContent.includes('and a hut'))"
          )
          try await browser.clickVersion(0)
          try await browser.wait(
            for: "the image that went",
            until: "document.querySelector('.image-change[data-kind=removed] img')")

          // One image of an earlier version.
          try await browser.clickVersion(1)
          try await browser.run("document.querySelector('#show-text').click()")
          try await browser.click(".restore-image")
          try await browser.run("document.querySelector('#confirm[open] #confirm-yes')?.click()")
          try await fixture.wait(for: "the image") {
            try fixture.shown("Trip").images.map(\.name) == ["Dawn.png"]
          }
          #expect(try fixture.text(of: "Trip").contains("and a hut"))

          // The whole of the first version.
          try await browser.openDocument("Trip", of: fixture)
          try await browser.click("#history")
          try await browser.openSession(of: 3)
          try await browser.clickVersion(-1)
          try await browser.click("#restore")
          try await browser.click("#confirm-yes")
          try await browser.waitForDocument()
          try await browser.waitForText("Three valleys")
          try await browser.click("#undo")
          try await browser.waitForText("Three valleys\nand a hut\n")
          #expect(try await browser.complaints() == [])
        }
      }
    }

    /// Makes a document in conflict, as two computers and a program that copies files would.
    static func conflict(_ fixture: ServeFixture) throws {
      try fixture.docpkg("new", "Trip.imageNotes", "--text", "Three valleys\nand a hut\n", "--quiet")
      try fixture.shell(
        """
        cp -a Trip.imageNotes ../Other.imageNotes
        "$0" edit ../Other.imageNotes --text 'Three valleys
        and a tent
        ' --quiet
        "$0" edit Trip.imageNotes --text 'Three valleys
        and a house
        ' --quiet
        stamp=sync-conflict-20260102-030405-ABCDEFG
        for file in Text Metadata; do
          for name in ../Other.imageNotes/$file.*; do
            end=${name##*.}
            cp -p "$name" "Trip.imageNotes/$file.$stamp.$end"
          done
        done
        """)
    }

    @Test(arguments: ["present", "version", "both", "merge"])
    func `compare the versions in conflict, and keep one, both or a merge`(_ choice: String) async throws {
      try await ServeFixture.with(prepare: Self.conflict) { fixture in
        try await Browser.with { browser in
          try await browser.openDocument("Trip", of: fixture)
          try await browser.waitForLight("conflict")
          try await browser.click("#banner-conflicts")
          try await browser.wait(
            for: "the sides", until: "document.querySelectorAll('article.side').length === 2")
          try await browser.wait(
            for: "the difference",
            until: "[...document.querySelectorAll('.line ins')].some((e) => e.textContent === 'tent')"
          )
          switch choice {
          case "present": try await browser.click("#keep-present")
          case "version": try await browser.click(".keep-version")
          case "both": try await browser.click(".keep-both")
          default:
            try await browser.click("#show-merge")
            try await browser.click("#merge-yes")
          }
          if choice != "merge" { try await browser.click("#confirm-yes") }
          try await browser.waitForDocument()
          try await browser.wait(
            for: "the end of the conflict",
            until: "['saved', 'unsaved', 'saving'].includes(document.querySelector('#light').dataset.light)")
          try await fixture.wait(for: "the end of the conflict") {
            try ServeFixture.tool.run(["conflicts", "Trip.imageNotes"], in: fixture.documents).status == 0
          }
          let text = try fixture.text(of: "Trip")
          switch choice {
          case "present": #expect(text == "Three valleys\nand a house\n")
          case "version": #expect(text == "Three valleys\nand a tent\n")
          case "both":
            #expect(text == "Three valleys\nand a house\n")
            #expect(try fixture.names() == ["Trip", "Trip (other version)"])
            #expect(try fixture.text(of: "Trip (other version)") == "Three valleys\nand a tent\n")
          default: #expect(text.contains("and a house") && text.contains("and a tent"))
          }
        }
      }
    }
  }
}

extension Browser {
  /// Opens the versions of the newest session, which has at least so many.
  fileprivate func openSession(of count: Int) async throws {
    try await wait(for: "the session", until: "document.querySelector('.session-toggle')")
    try await click(".session-toggle")
    let rows = "document.querySelectorAll('.session li button.version')"
    #expect(try await run("return \(rows).length").integer ?? 0 >= count)
  }

  /// Clicks a version of an open session; 0 is the newest, -1 the oldest.
  fileprivate func clickVersion(_ index: Int) async throws {
    try await run(
      "[...document.querySelectorAll('.session li button.version')].at(arguments[0]).click()",
      .number(Double(index)))
  }
}
