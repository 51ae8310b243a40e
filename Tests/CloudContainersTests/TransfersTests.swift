import CloudContainers
import FilePackages
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

@Suite("The documents of a run", .temporaryDirectory)
struct TransfersTests {
  @Test func `count the same, and one that goes or comes counts by its bytes`() {
    let transfers = Transfers()
    #expect(transfers.documents == nil)
    transfers.expect(["a", "b", "c", "d"])
    transfers.begin("a", isUpload: true)
    transfers.add(500, of: 1000, to: "a")
    #expect(transfers.documents == Transfers.Work(documents: 4, part: 0.12375))
    // An upload begins again if a program changes the document meanwhile.
    transfers.end("a")
    transfers.begin("a", isUpload: true)
    #expect(transfers.documents == Transfers.Work(documents: 4, part: 0.12375))
    transfers.end("a")
    transfers.finish("a")
    transfers.finish("a document without work")
    #expect(transfers.documents == Transfers.Work(documents: 4, part: 0.25))
    transfers.begin("e", isUpload: false)
    #expect(transfers.documents == Transfers.Work(documents: 5, part: 0.2))
    transfers.beginRun()
    #expect(transfers.documents == nil)
  }

  @Test func `are all that go or come, and no other ones`() async throws {
    let (a, b) = try await DeviceFixture.two(MemoryStore())
    func work(_ device: DeviceFixture) -> Transfers.Work? { device.container.session.transfers.documents }
    for number in 1...20 { try a.write("text \(number)", to: "Note \(number).txt") }
    try await a.uploadPackage("Trip.package", ["Text.txt": "text"])
    #expect(work(a) == Transfers.Work(documents: 21, part: 1))
    try await a.sync()
    #expect(work(a) == nil)
    try a.write("another text", to: "Note 7.txt")
    try a.remove("Note 8.txt")
    #expect(try await a.container.plan().documents.count == 2)
    #expect(work(a) == nil, "a plan moves nothing")
    try await a.sync()
    #expect(work(a) == Transfers.Work(documents: 1, part: 1))
    try await b.sync()
    #expect(work(b) == nil, "placeholders do not come")
    try await b.container.download(itemsNamed: (1...5).map { "Note \($0).txt" }) { _, outcome in
      #expect((try? outcome.get()) == true)
    }
    #expect(work(b) == Transfers.Work(documents: 5, part: 1))
    try a.write("new", to: "Note 1.txt")
    try await sync(a, b)
    #expect(work(b) == Transfers.Work(documents: 1, part: 1))
  }
}
