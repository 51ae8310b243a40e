import CloudContainers
import Foundation
import ObjectStores
import TestSupport
import Testing

@Suite("A feed that anyone filled")
struct FeedLimitTests {
  /// Announces versions of documents that no store has.
  private func fill(
    _ store: any ObjectStore, count: Int, at milliseconds: Int64 = Int64(Date().timeIntervalSince1970 * 1_000)
  ) async throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<count {
      _ = try await ContainerFeed(store).announce(
        .random(using: &generator), 1, by: "other", at: milliseconds)
    }
  }

  @Test
  func `costs a listing and no request for each document that is not there, and hides none`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MeteredStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try await b.sync()
      try a.write("one", to: "one.txt")
      try await a.sync()
      try await fill(store, count: 1_100)
      let before = store.callCount
      #expect(try await b.sync().discovered == 1)
      // Two pages of news, packs, versions, and the version that is there.
      #expect(store.callCount - before < 20)
      #expect(try await b.container.items().map(\.name) == ["one.txt"])
    }
  }

  @Test
  func `is read to a limit, and what follows its entries counts all the same`() async throws {
    let store = MeteredStore()
    let feed = ContainerFeed(store)
    try await fill(store, count: 1_500, at: 7_200_000)
    let document = try #require(CloudDocumentID(String(repeating: "a", count: 32)))
    for sequence in [3, 1] { _ = try await feed.announce(document, sequence, by: "a", at: 3_600_000) }
    try await feed.mark("mine")
    try await feed.remove("b")
    let part = try await feed.news(since: 0, for: "b", maximumEntries: 500)
    #expect(part.isCutShort && part.count == 1_000)
    #expect(part.container == "mine" && part.isRemoved && part.newest[document] == 3)
    let all = try await feed.news(since: 0, for: "b")
    #expect(!all.isCutShort && all.count == 1_502 && all.newest.count == 1_501)
    #expect(all.container == "mine" && all.isRemoved)
  }
}
