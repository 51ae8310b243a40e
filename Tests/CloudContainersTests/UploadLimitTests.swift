import CloudContainers
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

@Suite("The upload of a document with too many entries", .temporaryDirectory)
struct UploadLimitTests {
  @Test func `is refused before a page goes, in a sentence with its name and both numbers`() async throws {
    let store = MemoryStore()
    let session = try await DeviceFixture("a", store).container.session
    let a = DeviceFixture(
      CloudContainer(
        ContainerSession(
          folder: session.folder, settings: session.settings, state: session.state, store: store,
          limit: TreeTotals(entries: 40, bytes: 1 << 40))))
    for number in 1...41 { try a.write("text", to: "Many.rtfd/\(number).txt") }
    for number in 1...40 { try a.write("text", to: "Most.rtfd/\(number).txt") }
    let report = try await a.container.sync()
    #expect(report.documents.filter(\.uploaded).map(\.name) == ["Most.rtfd"])
    #expect(report.failures.map(\.name) == ["Many.rtfd"])
    let error = try #require(report.failures.first?.error as? CloudDataError)
    #expect(error.code == .refused && error.isUpload)
    let text = error.description
    #expect(text.contains("'Many.rtfd'") && text.contains("41 entries, and 40 are the limit"))
    // The other one has a page and a content.
    #expect(store.keys.count { $0.string.hasPrefix("blobs/") } == 2)
    #expect(try await StoredLog(store).versions.count == 1)
  }
}
