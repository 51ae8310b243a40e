import CloudContainers
import Documents
import DurableIO
import FilePackages
import Foundation
import ImageNotes
import ObjectStores
import SystemPackage
import TestSupport
import Testing

@Suite("An open document in a container folder")
struct OpenDocumentTests {
  private func withTwo(
    _ body: (DeviceFixture, DeviceFixture, Document<ImageNotes>) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      let made = try await Document.create(
        ImageNotes(text: "one\ntwo\nthree\n"), at: a.url.appending(path: "Trip.imageNotes"))
      try await made.close()
      try await a.sync()
      try await b.sync()
      try await b.container.download(itemNamed: "Trip.imageNotes")
      let document = try await Document<ImageNotes>.open(at: b.url.appending(path: "Trip.imageNotes"))
      try await body(a, b, document)
      try await document.close()
    }
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
        try await b.sync()
        try await a.sync()
      }
      try await withDeadline("both edits") {
        while try await document.content.text != "one\ntwo\nthree\nfour\n" { await Task.yield() }
      }
      #expect(try await document.content.customName == "Our trip")
      try await document.save()
      try await document.synchronize()
      try await b.sync()
      try await a.sync()
      let other = try await Document<ImageNotes>.open(at: a.url.appending(path: "Trip.imageNotes"))
      #expect(try await other.content.customName == "Our trip")
      #expect(try await other.content.text == "one\ntwo\nthree\nfour\n")
      try await other.close()
    }
  }
}
