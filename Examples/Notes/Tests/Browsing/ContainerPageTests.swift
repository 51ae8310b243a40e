import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite("The documents of a container in the library")
  struct ContainerPageTests {
    /// Makes a container with one document that another machine made.
    private static func fill(_ fixture: ServeFixture) throws {
      try fixture.shell(
        """
        mkdir ../Store ../Cloud ../Other
        "$0" cloud init ../Store ../Other --device other
        "$0" new ../Other/Harbour.imageNotes --text 'Boats' --quiet
        "$0" cloud sync ../Other --quiet
        "$0" cloud add ../Store ../Cloud --device here
        "$0" new Trip.imageNotes --text 'Three valleys' --quiet
        """)
    }

    @Test func `come and go between the folder, the container and other machines`() async throws {
      try await ServeFixture.with(arguments: ["--container", "ROOT/Cloud"], prepare: Self.fill) { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          try await browser.waitForState("notDownloaded", of: "Harbour")
          try await browser.wait(for: "both", until: "document.querySelectorAll('.row').length === 2")

          try await browser.choose("download", in: "Harbour")
          try await browser.waitForState("current", of: "Harbour")
          #expect(try fixture.docpkg("cat", "../Cloud/Harbour.imageNotes", "Text.txt").output == "Boats")

          // An edit goes to the other machine.
          try await browser.click(link: "Harbour")
          try await browser.waitForDocument()
          try await browser.putCaretAtEnd()
          try await browser.type(" and gulls")
          try await browser.waitForLight("saved")
          try await fixture.wait(for: "the edit on the other machine") {
            try fixture.shell(
              "\"$0\" cloud sync ../Other --quiet; \"$0\" cat ../Other/Harbour.imageNotes Text.txt"
            )
            .output == "Boats and gulls"
          }

          try await browser.click("#back")
          try await browser.waitForLibrary()
          try await browser.choose("move", in: "Trip")
          try await browser.waitForState("current", of: "Trip")
          #expect(try fixture.names() == [])
          try await browser.choose("evict", in: "Trip")
          try await browser.waitForState("notDownloaded", of: "Trip")
          // Opening brings the content here.
          try await browser.click(link: "Trip")
          try await browser.waitForDocument()
          try await browser.waitForText("Three valleys")
          try await browser.click("#back")
          try await browser.waitForLibrary()
          try await browser.choose("move", in: "Trip")
          try await fixture.wait(for: "the document in the folder") { try fixture.names() == ["Trip"] }

          try await browser.choose("delete", in: "Harbour")
          try await browser.waitForRows("Trip")
          try await browser.click("#notices .notice-action")
          try await browser.waitForState("notDownloaded", of: "Harbour")
          #expect(try await browser.complaints() == [])
        }
      }
    }
  }
}

extension Browser {
  /// Chooses an action in the menu of a document of the library.
  fileprivate func choose(_ action: String, in name: String) async throws {
    let id = try await id(of: name)
    try await click(".row[data-id='\(id)'] .row-menu")
    try await click("#menu [data-action=\(action)]")
  }

  /// Waits until the library shows this state of a document in the cloud.
  fileprivate func waitForState(_ state: String, of name: String) async throws {
    try await wait(
      for: "\(name) to be \(state)",
      until: """
        [...document.querySelectorAll('.row')].find((row) => row.querySelector('.row-name').textContent === arguments[0])
          ?.querySelector('.row-cloud').dataset.cloud === arguments[1]
        """, .string(name), .string(state))
  }
}
