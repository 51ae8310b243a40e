import CloudContainers
import Documents
import DurableIO
import Foundation
import ImageNotes
import ObjectStores
import StoreTestSupport
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("A placeholder that a program opens", .temporaryDirectory)
struct PlaceholderTests {
  /// Two machines; the second one has `Trip.imageNotes` as a placeholder, behind a gate.
  private func makePlaceholder() async throws -> (DeviceFixture, DeviceFixture, GatedStore) {
    let store = MemoryStore()
    let gate = GatedStore(store)
    let a = try await DeviceFixture("a", store, enclosesSmall: false)
    let b = try await DeviceFixture("b", gate, enclosesSmall: false)
    let made = try await Document.create(
      ImageNotes(text: "Three valleys\n"), at: a.url.appending(path: "Trip.imageNotes"))
    try await made.close()
    try await sync(a, b)
    return (a, b, gate)
  }

  private func document(on device: DeviceFixture) -> Document<ImageNotes> {
    Document(
      fileURL: device.url.appending(path: "Trip.imageNotes"),
      options: .init { $0.provider = device.container })
  }

  private func status(on device: DeviceFixture) async throws -> UbiquitousAttributes? {
    try await device.container.items().first?.attributes
  }

  private func waitForDownload(_ gate: GatedStore) async throws {
    try await withDeadline("the download") { while gate.waiting == 0 { await Task.yield() } }
  }

  @Test func `is downloaded, with the progress in its state`() async throws {
    let (_, b, gate) = try await makePlaceholder()
    gate.close()
    let document = document(on: b)
    let opening = Task { try await document.open() }
    try await waitForDownload(gate)
    #expect(await document.documentState == [.closed, .progressAvailable])
    #expect(await document.progress?.activity == .downloading)
    #expect(try await status(on: b)?.isDownloading == true)
    gate.open()
    try await opening.value
    #expect(try await document.content.text == "Three valleys\n")
    #expect(await document.documentState == .normal)
    #expect(await document.progress == nil)
    #expect(try await status(on: b)?.downloadingStatus == .current)
    try await document.close()
  }

  @Test func `tells how many bytes came and come`() async throws {
    let (a, b, _) = try await makePlaceholder()
    let figures = Mutex<[UInt64]>([])
    try await b.container.provide(itemAt: b.url.appending(path: "Trip.imageNotes")) { completed, total in
      figures.withLock { $0 += [completed, total] }
    }
    let size = try await a.container.items().first?.size
    #expect(figures.withLock { $0.suffix(2) } == [size, size])
  }

  @Test func `stays closed without a connection, and the error says what to do`() async throws {
    let (_, b, gate) = try await makePlaceholder()
    gate.setOffline(true)
    let document = document(on: b)
    let error = await #expect(throws: DocumentError.self) { try await document.open() }
    #expect(error?.code == .unavailable)
    let text = try #require(error.map { "\($0)" })
    #expect(text.contains("Trip.imageNotes' could not be opened: its content is only in the container"))
    #expect(text.contains("no connection to the server"))
    #expect(text.hasSuffix("try again later."))
    #expect(await document.documentState == .closed)
    gate.setOffline(false)
    try await document.open()
    #expect(try await document.content.text == "Three valleys\n")
    try await document.close()
  }

  @Test func `stays a placeholder if the task that opens it is cancelled`() async throws {
    let (_, b, gate) = try await makePlaceholder()
    gate.close()
    let document = document(on: b)
    let opening = Task { try await document.open() }
    try await waitForDownload(gate)
    opening.cancel()
    await expect(\DocumentError.code, .unavailable) { try await opening.value }
    #expect(await document.documentState == .closed)
    gate.open()
    // A later run does not bring it.
    try await b.sync()
    #expect(try await status(on: b)?.downloadingStatus == .notDownloaded)
    #expect(try await status(on: b)?.isDownloading == false)
  }

  @Test func `stays a placeholder if its download is cancelled, and other documents come`() async throws {
    let (a, b, gate) = try await makePlaceholder()
    try a.write("notes", to: "Notes.txt")
    try await sync(a, b)
    try await b.container.startDownloading(itemNamed: "Trip.imageNotes")
    gate.close()
    let running = Task { try await b.container.sync() }
    try await waitForDownload(gate)
    try await b.container.startDownloading(itemNamed: "Notes.txt")
    try await b.container.cancelDownload(itemNamed: "Trip.imageNotes")
    gate.open()
    #expect(try await running.value.failures.map(\.name) == ["Trip.imageNotes"])
    try await b.sync()
    #expect(b.text("Notes.txt") == "notes")
    let trip = try #require(await b.container.items().first { $0.name == "Trip.imageNotes" })
    #expect(trip.downloadingStatus == .notDownloaded && !trip.isDownloading && trip.downloadingError == nil)
    // The user opens it after all.
    let document = document(on: b)
    try await document.open()
    try await document.close()
  }

  @Test func `of another place, or of no name in the container, is not the container's`() async throws {
    let (_, b, gate) = try await makePlaceholder()
    gate.setOffline(true)
    for name in ["Other.imageNotes", "../Other.imageNotes", ".hidden/Other.imageNotes"] {
      let document = Document<ImageNotes>(
        fileURL: b.url.appending(path: name), options: .init { $0.provider = b.container })
      let error = await #expect(throws: DocumentError.self) { try await document.open() }
      #expect(error?.fileError?.code == .noSuchFile, "\(name)")
    }
  }
}
