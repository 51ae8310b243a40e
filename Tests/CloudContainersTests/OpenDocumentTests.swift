import CloudContainers
import Documents
import DurableIO
import FilePackages
import Foundation
import ImageNotes
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("An open document in a container folder", .temporaryDirectory)
struct OpenDocumentTests {
  private func withTwo(
    _ body: (DeviceFixture, DeviceFixture, Document<ImageNotes>) async throws -> Void
  ) async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    let made = try await Document.create(
      ImageNotes(text: "one\ntwo\nthree\n"), at: a.url.appending(path: "Trip.imageNotes"))
    try await made.close()
    try await a.share("Trip.imageNotes", with: b)
    let document = try await Document<ImageNotes>.open(at: b.url.appending(path: "Trip.imageNotes"))
    try await body(a, b, document)
    try await document.close()
  }

  /// Gives the document on a machine another text, and syncs.
  private func write(_ text: String, on device: DeviceFixture) async throws {
    let document = try await Document<ImageNotes>.open(at: device.url.appending(path: "Trip.imageNotes"))
    try await document.edit { $0.text = text }
    try await document.save()
    try await document.close()
    try await device.sync()
  }

  @Test
  func `takes in a download as another program's save`() async throws {
    try await withTwo { a, b, document in
      try await write("one\ntwo\nthree\nfour\n", on: a)
      try await b.sync()
      try await withDeadline("the text of the other machine") {
        while try await document.content.text != "one\ntwo\nthree\nfour\n" { await Task.yield() }
      }
      #expect(await !document.hasUnsavedChanges)
    }
  }

  @Test
  func `merges a download with its unsaved edits, and loses none`() async throws {
    try await withTwo { a, b, document in
      try await document.edit { $0.customName = "Our trip" }
      try await write("one\ntwo\nthree\nfour\n", on: a)
      // The download comes under the unsaved edit, as a save of another program does.
      for _ in 0..<3 {
        try await sync(b, a)
      }
      try await withDeadline("both edits") {
        while try await document.content.text != "one\ntwo\nthree\nfour\n" { await Task.yield() }
      }
      #expect(try await document.content.customName == "Our trip")
      try await document.save()
      try await document.synchronize()
      try await sync(b, a)
      let other = try await Document<ImageNotes>.open(at: a.url.appending(path: "Trip.imageNotes"))
      #expect(try await other.content.customName == "Our trip")
      #expect(try await other.content.text == "one\ntwo\nthree\nfour\n")
      try await other.close()
    }
  }

  @Test
  func `on both machines has an edit after one poll of each, and text typed meanwhile stays`() async throws {
    try await withTwo { a, b, document in
      let other = try await Document<ImageNotes>.open(at: a.url.appending(path: "Trip.imageNotes"))
      var polls = 0
      func poll(_ device: DeviceFixture) async throws {
        polls += 1
        #expect(try await device.sync().failures.isEmpty)
      }
      func wait(for text: String, in document: Document<ImageNotes>) async throws {
        try await withDeadline("'\(text)'") {
          while try await document.content.text != text { await Task.yield() }
        }
      }
      try await other.edit { $0.text += "four\n" }
      try await other.save()
      // The user of b types into the same text, and does not save.
      try await document.edit { $0.text = "zero\n" + $0.text }
      try await poll(a)
      try await poll(b)
      try await wait(for: "zero\none\ntwo\nthree\nfour\n", in: document)
      #expect(polls == 2)
      // And now the user of a types, while the text of b comes.
      try await other.edit { $0.text = $0.text.replacing("two", with: "TWO") }
      try await document.save()
      try await poll(b)
      try await poll(a)
      try await wait(for: "zero\none\nTWO\nthree\nfour\n", in: other)
      #expect(polls == 4)
      try await other.save()
      try await poll(a)
      try await poll(b)
      try await wait(for: "zero\none\nTWO\nthree\nfour\n", in: document)
      for document in [document, other] { #expect(await !document.documentState.contains(.inConflict)) }
      #expect(try await a.container.items().map(\.hasUnresolvedConflicts) == [false])
      try await other.close()
    }
  }
}
