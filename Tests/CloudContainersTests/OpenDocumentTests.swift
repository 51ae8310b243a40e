import CloudContainers
import Documents
import DurableIO
import Foundation
import ImageNotes
import ObjectStores
import StoreTestSupport
import SystemPackage
import TestSupport
import Testing

@Suite("An open document in a container folder", .temporaryDirectory)
struct OpenDocumentTests {
  @Test
  func `on both machines has an edit after one poll of each, and text typed meanwhile stays`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    let made = try await Document.create(
      ImageNotes(text: "one\ntwo\nthree\n"), at: a.url.appending(path: "Trip.imageNotes"))
    try await made.close()
    try await a.share("Trip.imageNotes", with: b)
    let document = try await Document<ImageNotes>.open(at: b.url.appending(path: "Trip.imageNotes"))
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
    for document in [document, other] {
      #expect(await !document.documentState.contains(.inConflict))
      #expect(await !document.hasUnsavedChanges)
    }
    #expect(try await a.container.items().map(\.hasUnresolvedConflicts) == [false])
    try await other.close()
    try await document.close()
  }
}
