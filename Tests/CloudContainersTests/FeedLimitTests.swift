import CloudContainers
import FilePackages
import Foundation
import ObjectStores
import StoreTestSupport
import TestSupport
import Testing

@Suite("A feed that anyone filled")
struct FeedLimitTests {
  /// A document that no store has.
  private static func unknown() -> FeedEntry.Version {
    var generator = SystemRandomNumberGenerator()
    return FeedEntry.Version(.random(using: &generator), 1, VersionDigest(of: Data()))
  }

  /// Makes entries about versions that no store has; returns the last one.
  private func fill(
    _ store: any ObjectStore, count: Int, versions: Int = 1, after first: FeedPosition = .start
  ) async throws -> FeedPosition {
    var last = first
    for _ in 0..<count {
      let entry = FeedEntry(
        after: last.hash, .committed, by: "other", (0..<versions).map { _ in Self.unknown() })
      last = try #require(try await ContainerFeed(store).append(entry, after: last))
    }
    return last
  }

  @Test(arguments: [(1_100, 1), (5, 256), (400, 256)])
  func `costs few requests, whatever it names, and hides no document`(
    entries: Int, versions: Int
  ) async throws {
    try await withTemporaryDirectory { directory in
      let store = MeteredStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try await b.sync()
      try a.write("one", to: "one.txt")
      try await a.sync()
      let first = try await ContainerFeed(store).news(after: .start).end
      _ = try await fill(store, count: entries, versions: versions, after: first)
      let requests = try await store.requests {
        let report = try await b.sync()
        #expect(report.discovered == 1)
      }
      // Beyond a thousand entries or four megabytes, the last entry alone. Otherwise one request for each.
      #expect(requests < 60, "\(requests)")
      #expect(try await b.container.items().map(\.name) == ["one.txt"])
      #expect(try await store.requests { try await b.sync() } == 1)
      try b.write("two", to: "two.txt")
      try await b.sync()
      #expect(try await a.sync().discovered == 1)
    }
  }

  @Test(arguments: [0, 1, 999, 1_001, 5_000])
  func `is looked at to its end, and what follows its entries counts all the same`(count: Int) async throws {
    let store = MeteredStore()
    let feed = ContainerFeed(store)
    let last = try await fill(store, count: count)
    try await feed.mark("mine")
    try await feed.remove("b")
    for readsEntries in [false, true] {
      let news = try await feed.news(after: .start, readsEntries: readsEntries, for: "b")
      #expect(news.end.number == last.number && news.end.hash == last.hash)
      #expect(news.container == "mine" && news.isRemoved)
      let isRead = readsEntries && count <= ContainerFeed.maximumUnread
      #expect(news.entries.count == (isRead ? count : 0))
      #expect((news.state == .whole) == (isRead || count == 0))
    }
  }

  @Test func `that has its last number takes no entry, and the run says so`() async throws {
    try await withTemporaryDirectory { directory in
      let store = MemoryStore()
      let a = try await DeviceFixture("a", in: directory, store)
      let b = try await DeviceFixture("b", in: directory, store)
      try await b.sync()
      try await store.put(Data(), at: ContainerFeed.key(9_999_999_999_999_999), ifAbsent: true)
      try a.write("one", to: "one.txt")
      let report = try await a.container.sync()
      #expect(report.failures.isEmpty && report.documents.map(\.uploaded) == [true])
      #expect((report.problems.last as? CloudDataError)?.code == .unreadableNews, "\(report)")
      #expect(try await b.container.sync().discovered == 1)
    }
  }
}
