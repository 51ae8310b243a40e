import Documents
import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

@Suite("Presenters", .tags(.process), .temporaryDirectory)
struct PresenterTests {
  /// Runs one process that presents `item`, with the options in `words`, and another one that accesses it.
  private func withPresenter(
    of item: String = "Trip.pages", _ words: String = "",
    _ body: (Place, _ presenter: CoordinatorProcess, _ other: CoordinatorProcess) async throws -> Void
  ) async throws {
    let place = try Place()
    let (one, two) = (try CoordinatorProcess(place.runtime), try CoordinatorProcess(place.runtime))
    try await one.send("present p \(place.path(item)) \(words)", until: "presents")
    try await body(place, one, two)
    #expect(place.names("claims").isEmpty)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var presented: String
    var access: String
    var told: [String]

    init(_ presented: String, _ access: String, _ told: [String]) {
      (self.presented, self.access, self.told) = (presented, access, told)
    }

    var testDescription: String { "\(access), presented is \(presented)" }
  }

  static let reading = ["relinquishes-to-reader", "is-to-save", "has-saved", "reacquires"]
  static let writing = ["relinquishes-to-writer", "is-changed", "reacquires"]
  static let deleting = ["relinquishes-to-writer", "is-to-be-deleted", "is-changed", "reacquires"]
  static let merging = ["relinquishes-to-writer", "is-to-save", "has-saved", "is-changed", "reacquires"]

  static let cases = [
    Case("Trip.pages", "read Trip.pages", reading),
    Case("Trip.pages", "read Trip.pages options=1", ["relinquishes-to-reader", "reacquires"]),
    Case("Trip.pages", "read Trip.pages options=4", []),
    Case("Trip.pages", "read Trip.pages/sub/b", reading),
    Case("Trip.pages/a", "read Trip.pages", reading),
    Case("Trip.pages", "write Trip.pages", writing),
    Case("Trip.pages", "write Trip.pages/sub/b", writing),
    Case("Trip.pages", "write Trip.pages options=1", deleting),
    Case("Trip.pages", "write Trip.pages options=8", deleting),
    Case("Trip.pages", "write Trip.pages options=4", merging),
    Case("Trip.pages", "write Trip.pages options=16", ["is-changed"]),
    Case(
      "Trip.pages", "write Trip.pages/a options=1",
      ["relinquishes-to-writer", "subitem-is-to-be-deleted Trip.pages/a", "is-changed", "reacquires"]),
    Case("flat", "read flat", reading),
    Case("flat", "write flat", writing),
    Case("flat", "write other", []),
    // A presenter of a plain folder is only told of the folder's children.
    Case("plain", "read plain/file", []),
    Case("plain", "write plain/file", ["is-changed"]),
    Case("plain subitems", "write plain/file", ["subitem-is-changed plain/file"]),
    Case("plain subitems", "write plain/new", ["subitem-appears plain/new"]),
    Case(
      "Trip.pages subitems", "write Trip.pages/a",
      ["relinquishes-to-writer", "subitem-is-changed Trip.pages/a", "reacquires"]),
    // Presenters of a folder's children are asked if the folder goes.
    Case("plain/deep/file", "write plain", []),
    Case("plain/deep/file", "write plain options=1", deleting),
    Case("plain/deep/file", "write plain options=2", writing),
  ]

  @Test(arguments: cases) func `are asked and told what the table says`(_ case: Case) async throws {
    let presented = `case`.presented.split(separator: " ").map(String.init)
    try await withPresenter(of: presented[0], presented.dropFirst().joined()) { place, one, two in
      var words = `case`.access.split(separator: " ").map(String.init)
      words[1] = place.path(words[1])
      words.insert("x", at: 1)
      two.send(words.joined(separator: " "))
      try await two.expect("x", "began")
      try await two.send("release x", until: "ended")
      if let last = `case`.told.last { try await one.expect("p", String(last.prefix { $0 != " " })) }
      try await one.send("ping q", until: "pong")
      let told = one.lines("p").dropFirst().map { $0.replacing(place.folder.string + "/", with: "") }
      #expect(told == `case`.told)
    }
  }

  @Test func `hear of a child by the method for the item, without a method for children`() async {
    final class Plain: FilePresenter {
      let changes = Mutex(0)
      var presentedItemURL: URL? { nil }
      func presentedItemDidChange() async { changes.withLock { $0 += 1 } }
    }
    let (plain, url) = (Plain() as any FilePresenter, URL(filePath: "/plain/file"))
    await plain.presentedSubitemDidChange(at: url)
    await plain.presentedSubitemDidAppear(at: url)
    await plain.presentedSubitem(at: url, didMoveTo: url)
    #expect((plain as? Plain)?.changes.withLock { $0 } == 3)
  }

  @Test func `save before others read`() async throws {
    try await withPresenter("text=newest") { place, one, two in
      two.send("read r \(place.path("Trip.pages"))")
      // Its own save is a coordinated write, while the reader waits.
      try await two.expect("r", "began")
      let text = try String(contentsOf: URL(filePath: place.path("Trip.pages/text")), encoding: .utf8)
      #expect(text == "newest")
      try await two.send("release r", until: "ended")
      #expect(!one.says("p", "is-changed"))
    }
  }

  @Test func `save while a writer waits behind another reader`() async throws {
    // The presenter's save does not wait for the access that asked it (CA1).
    try await withPresenter("text=newest") { place, one, two in
      let item = place.path("Trip.pages")
      try await two.send("read first \(item)", until: "began")
      two.send("write w \(item)")
      try await place.waitForClaims(2)
      two.send("read second \(item)")
      try await one.expect("p", "is-to-save")
      two.send("release first")
      try await two.expect("w", "began")
      two.send("release w")
      try await two.expect("second", "began")
      try await two.send("release second", until: "ended")
    }
  }

  @Test func `are asked once for many items`() async throws {
    final class Counting: FilePresenter {
      let presentedItemURL: URL?
      let saves = Mutex(0)
      init(_ url: URL) { presentedItemURL = url }
      func savePresentedItemChanges() async throws { saves.withLock { $0 += 1 } }
    }
    let place = try Place()
    let registry = CoordinationRegistry(at: place.registry)
    let urls = ["flat", "plain/file"].map { URL(filePath: place.path($0)) }
    let presenter = Counting(urls[0])
    try await registry.add(presenter)
    let coordinator = FileCoordinator(in: registry)
    try await coordinator.prepare(forReadingItemsAt: urls) {
      #expect(presenter.saves.withLock { $0 } == 1)
      #expect(place.names("claims").isEmpty)
      for url in urls {
        try await coordinator.coordinate(readingItemAt: url) { _ in
          #expect(place.names("claims").count == 2)
        }
      }
    }
    #expect(presenter.saves.withLock { $0 } == 1)
    await registry.remove(ObjectIdentifier(presenter))
  }

  @Test func `that refuse keep the other one away, who hears why`() async throws {
    try await withPresenter("refuse") { place, one, two in
      let error = try await two.send("read r \(place.path("Trip.pages"))", until: "failed presenter")
      #expect(error.contains("coordinator (process \(one.number) on") && error.contains("Refusal"))
      try await one.expect("p", "reacquires")
      // It refuses only accesses that ask it to save.
      try await two.send("write w \(place.path("Trip.pages"))", until: "began")
      try await two.send("release w", until: "ended")
    }
  }

  @Test func `of this process refuse with their own error`() async throws {
    final class Refusing: FilePresenter {
      struct Refusal: Error, Equatable { var number: Int }
      let presentedItemURL: URL?
      init(_ url: URL) { presentedItemURL = url }
      func savePresentedItemChanges() async throws { throw Refusal(number: 7) }
    }
    let place = try Place()
    let registry = CoordinationRegistry(at: place.registry)
    let url = URL(filePath: place.path("flat"))
    let presenter = Refusing(url)
    try await registry.add(presenter)
    let error = try await #require(throws: FileCoordinationError.self) {
      try await FileCoordinator(in: registry).coordinate(readingItemAt: url) { _ in
        Issue.record("read all the same")
      }
    }
    #expect(error.code == .presenter && error.cause as? Refusing.Refusal == .init(number: 7))
    // It is not asked for an access of its own.
    let text = try await FileCoordinator(filePresenter: presenter, in: registry).coordinate(
      readingItemAt: url
    ) { try String(contentsOf: $0, encoding: .utf8) }
    #expect(text == "0")
    await registry.remove(ObjectIdentifier(presenter))
    #expect(place.names("presenters").isEmpty)
  }

  @Test func `that do not answer are named when the time is over`() async throws {
    try await withPresenter("hang") { place, one, two in
      two.send("read r \(place.path("Trip.pages")) deadline=300")
      let error = try await two.expect("r", "failed presenterTimeout")
      #expect(error.contains("coordinator (process \(one.number) on"))
      #expect(error.contains("'Trip.pages' could not be accessed"))
      // No other access waits for it.
      try await two.send("read f \(place.path("flat"))", until: "began")
      try await two.send("release f", until: "ended")
    }
  }

  @Test func `and items that move are found at their new place`() async throws {
    try await withPresenter { place, one, two in
      let new = place.path("Away.pages")
      try await two.send("write m \(place.path("Trip.pages")) do=move to=\(new)", until: "ended")
      try await one.expect("p", "is-moved \(new)")
      try await two.send("read r \(new)", until: "began")
      #expect(one.says("p", "is-to-save"))
      try await two.send("release r", until: "ended")
    }
  }

  @Test func `are found by the node where somebody moved the item and told nobody`() async throws {
    try await withPresenter { place, one, two in
      let new = place.path("Elsewhere.pages")
      #expect(rename(place.path("Trip.pages"), new) == 0)
      try await two.send("read r \(new)/sub/b", until: "began")
      #expect(one.says("p", "is-to-save"))
      try await two.send("release r", until: "ended")
    }
  }

  @Test(arguments: ["presenter", "claim"]) func `cancelling ends the waiting`(for what: String) async throws {
    // The wait ends when its task is cancelled (CA3).
    try await withPresenter(what == "presenter" ? "hang" : "") { place, one, two in
      let item = place.path("Trip.pages")
      if what == "presenter" {
        two.send("read r \(item)")
        try await one.expect("p", "relinquishes")
      } else {
        try await one.send("write w \(item) purpose=w", until: "began")
        two.send("read r \(item)")
        try await place.waitForClaims(2)
      }
      try await two.send("cancel r", until: "failed cancelled")
      if what == "claim" {
        try await one.send("release w", until: "ended")
      }
    }
  }

  @Test func `a coordinator that was cancelled runs nothing any more`() async throws {
    let coordinator = FileCoordinator(in: CoordinationRegistry(at: folder.appending("run")))
    coordinator.cancel()
    let error = await #expect(throws: FileCoordinationError.self) {
      try await coordinator.coordinate(readingItemAt: URL(filePath: folder.string)) { _ in
        Issue.record("run")
      }
    }
    #expect(error?.code == .cancelled)
    #expect(error?.cocoaCode.rawValue == 3072)
  }
}
