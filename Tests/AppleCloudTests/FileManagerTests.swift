import AppleCloud
import CloudContainers
import Documents
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

// The calls wait for work of other tasks, which must not run on the same thread.
@MainActor @Suite("The cloud by the names of FileManager", .cloud)
struct FileManagerTests {
  private nonisolated var files: FileManager { .default }

  private nonisolated func status(of url: URL) throws -> URLUbiquitousItemDownloadingStatus? {
    try url.resourceValues(forKeys: [.ubiquitousItemDownloadingStatusKey]).ubiquitousItemDownloadingStatus
  }

  @Test func `answers as without an account if no container is registered`() throws {
    UbiquityContainers.unregister(identifier: CloudFixture.identifier)
    #expect(files.ubiquityIdentityToken == nil)
    #expect(files.url(forUbiquityContainerIdentifier: nil) == nil)
    #expect(files.url(forUbiquityContainerIdentifier: CloudFixture.identifier) == nil)
    let url = cloud.local.appending(path: "Hut.txt")
    try CloudFixture.write("one", to: url)
    #expect(!files.isUbiquitousItem(at: url))
    #expect(try url.resourceValues(forKeys: [.isUbiquitousItemKey]).isUbiquitousItem == false)
    #expect(try status(of: url) == nil)
    let other = cloud.local.appending(path: "Other.txt")
    for call in [
      { try files.startDownloadingUbiquitousItem(at: url) }, { try files.evictUbiquitousItem(at: url) },
      { try files.setUbiquitous(true, itemAt: url, destinationURL: other) },
      { try files.setUbiquitous(false, itemAt: url, destinationURL: other) },
    ] {
      expect(\CocoaError.code, .ubiquitousFileUnavailable) { try call() }
    }
    #expect(CloudFixture.text(at: url) == "one")
  }

  @Test func `gives the folder of a container and its identity, and posts a new identity`() async throws {
    #expect(files.url(forUbiquityContainerIdentifier: nil) == cloud.here.url)
    #expect(files.url(forUbiquityContainerIdentifier: CloudFixture.identifier) == cloud.here.url)
    #expect(files.url(forUbiquityContainerIdentifier: "iCloud.org.example.other") == nil)
    #expect(files.fileExists(atPath: cloud.documents.path))

    let token = try #require(files.ubiquityIdentityToken)
    UbiquityContainers.drainNotifications()
    try await confirmation("notifications", expectedCount: 2) { posted in
      let observer = NotificationCenter.default.addObserver(
        forName: .NSUbiquityIdentityDidChange, object: nil, queue: nil
      ) { _ in posted() }
      // A second container changes nothing for the first one.
      try UbiquityContainers.register(cloud.there, forIdentifier: "iCloud.org.example.other")
      #expect(files.url(forUbiquityContainerIdentifier: nil) == cloud.here.url)
      UbiquityContainers.unregister(identifier: "iCloud.org.example.other")
      #expect(files.ubiquityIdentityToken?.isEqual(token) == true)
      UbiquityContainers.unregister(identifier: CloudFixture.identifier)
      #expect(files.ubiquityIdentityToken == nil)
      // The token is that of the container, on each machine.
      try UbiquityContainers.register(cloud.there, forIdentifier: CloudFixture.identifier)
      #expect(files.ubiquityIdentityToken?.isEqual(token) == true)
      UbiquityContainers.drainNotifications()
      NotificationCenter.default.removeObserver(observer)
    }
  }

  @MainActor
  @Test func `does not wait for an observer on the main queue`() async throws {
    let posts = Posts()
    let observer = NotificationCenter.default.addObserver(
      forName: .NSUbiquityIdentityDidChange, object: nil, queue: .main
    ) { _ in posts.count.withLock { $0 += 1 } }
    UbiquityContainers.unregister(identifier: CloudFixture.identifier)
    try await CloudFixture.wait(for: "the notification") { posts.count.withLock { $0 } > 0 }
    NotificationCenter.default.removeObserver(observer)
  }

  private final class Posts: Sendable {
    let count = Mutex(0)
  }

  @Test func `moves a document into the container, and out of it`() async throws {
    let (local, remote) = (
      cloud.local.appending(path: "Hut.txt"), cloud.documents.appending(path: "Trips/Hut.txt")
    )
    try CloudFixture.write("one", to: local)
    #expect(!files.isUbiquitousItem(at: local) && !files.isUbiquitousItem(at: remote))
    try files.setUbiquitous(true, itemAt: local, destinationURL: remote)
    #expect(CloudFixture.text(at: local) == nil && CloudFixture.text(at: remote) == "one")
    #expect(files.isUbiquitousItem(at: remote))
    try await cloud.here.sync()
    try await cloud.there.sync()
    try await cloud.there.download(itemNamed: "Documents/Trips/Hut.txt")
    #expect(CloudFixture.text(at: cloud.there.url.appending(path: "Documents/Trips/Hut.txt")) == "one")

    // Edits that are not uploaded move out with the document.
    try CloudFixture.write("two", to: remote)
    try files.setUbiquitous(false, itemAt: remote, destinationURL: local)
    #expect(CloudFixture.text(at: local) == "two" && CloudFixture.text(at: remote) == nil)
    try await cloud.here.sync()
    try await cloud.there.sync()
    #expect(try await cloud.there.items().isEmpty)

    // A document that the container never had moves in and out as well.
    try files.setUbiquitous(true, itemAt: local, destinationURL: remote)
    try files.setUbiquitous(false, itemAt: remote, destinationURL: local)
    #expect(CloudFixture.text(at: local) == "two" && !files.isUbiquitousItem(at: remote))
  }

  /// A presenter that follows its item.
  private final class Follower: FilePresenter {
    private let place: Mutex<URL>
    private let makeWay: @Sendable () -> Void

    init(_ url: URL, makeWay: @escaping @Sendable () -> Void) {
      place = Mutex(url)
      self.makeWay = makeWay
    }

    var presentedItemURL: URL? { place.withLock { $0 } }

    func relinquishPresentedItem(toWriter writer: FileAccessHolder) async -> Reacquirer? {
      makeWay()
      return nil
    }

    func presentedItemDidMove(to newURL: URL) async { place.withLock { $0 = newURL } }
  }

  @Test(arguments: [true, false])
  func `tells presenters the place that a document got, if another one takes its name meanwhile`(
    movesIn: Bool
  ) async throws {
    // On a busy machine a presenter may be asked too late to take the name.
    for number in 1...20 {
      let name = "Hut\(number)"
      let places = [cloud.local, cloud.documents].map { $0.appending(path: "\(name).txt") }
      let (source, target) = movesIn ? (places[0], places[1]) : (places[1], places[0])
      try CloudFixture.write("mine", to: source)
      try await cloud.here.sync()
      let follower = Follower(source) {
        do {
          try CloudFixture.write("another", to: target)
        } catch {
          Issue.record(error)
        }
      }
      try await FileCoordinator.addFilePresenter(follower)
      // A presenter needs the threads of tasks meanwhile.
      try await waiting { [files] in
        try files.setUbiquitous(movesIn, itemAt: source, destinationURL: target)
      }
      let free = target.deletingLastPathComponent().appending(path: "\(name) 2.txt")
      let wasInTime = CloudFixture.text(at: free) == "mine"
      if wasInTime {
        while follower.presentedItemURL == source { await Task.yield() }
        #expect(follower.presentedItemURL?.lastPathComponent == free.lastPathComponent)
        #expect(CloudFixture.text(at: target) == "another" && CloudFixture.text(at: source) == nil)
      }
      await FileCoordinator.removeFilePresenter(follower)
      if wasInTime { return }
    }
    Issue.record("no presenter was asked in time")
  }

  @Test func `refuses a move to a place that is taken, also by a placeholder`() async throws {
    try await cloud.writeThere("theirs", to: "Documents/Hut.txt")
    let (local, remote) = (cloud.local.appending(path: "Hut.txt"), cloud.documents.appending(path: "Hut.txt"))
    try CloudFixture.write("mine", to: local)
    #expect(files.isUbiquitousItem(at: remote) && CloudFixture.text(at: remote) == nil)
    for flag in [true, false] {
      expect(\CocoaError.code, .fileWriteFileExists) {
        try files.setUbiquitous(flag, itemAt: flag ? local : remote, destinationURL: flag ? remote : local)
      }
    }
    #expect(CloudFixture.text(at: local) == "mine")
    // A placeholder moves out with its content.
    let other = cloud.local.appending(path: "Theirs.txt")
    try files.setUbiquitous(false, itemAt: remote, destinationURL: other)
    #expect(CloudFixture.text(at: other) == "theirs" && !files.isUbiquitousItem(at: remote))
  }

  @Test func `downloads and evicts a document, and all documents of a folder`() async throws {
    try CloudFixture.write("one", to: cloud.there.url.appending(path: "Documents/Trips/Hut.txt"))
    try await cloud.writeThere("two", to: "Documents/Trips/Ridge.txt")
    let folder = cloud.documents.appending(path: "Trips")
    let urls = ["Hut.txt", "Ridge.txt"].map { folder.appending(path: $0) }
    #expect(try urls.map { try status(of: $0) } == [.notDownloaded, .notDownloaded])
    #expect(try urls[0].resourceValues(forKeys: [.nameKey, .isUbiquitousItemKey]).name == "Hut.txt")

    try files.startDownloadingUbiquitousItem(at: urls[0])
    try await CloudFixture.wait(for: "one document") { CloudFixture.text(at: urls[0]) == "one" }
    try await CloudFixture.wait(for: "its status") { (try? status(of: urls[0])) == .current }
    #expect(CloudFixture.text(at: urls[1]) == nil)
    try files.startDownloadingUbiquitousItem(at: folder)
    try await CloudFixture.wait(for: "both documents") {
      urls.map { CloudFixture.text(at: $0) } == ["one", "two"]
    }
    let values = try urls[1].resourceValues(forKeys: [.isUbiquitousItemKey, .ubiquitousItemIsUploadedKey])
    #expect(values.isUbiquitousItem == true && values.ubiquitousItemIsUploaded == true)
    #expect(values.ubiquitousItemHasUnresolvedConflicts == nil && values.isDirectory == nil)

    try files.evictUbiquitousItem(at: urls[0])
    #expect(try urls.map { try status(of: $0) } == [.notDownloaded, .current])
    try files.evictUbiquitousItem(at: folder)
    #expect(urls.map { CloudFixture.text(at: $0) } == [nil, nil])
    #expect(throws: (any Error).self) {
      try files.startDownloadingUbiquitousItem(at: folder.appending(path: "None.txt"))
    }
  }

  @Test func `does not evict content that the container lacks`() async throws {
    let url = cloud.documents.appending(path: "New.txt")
    try CloudFixture.write("old", to: url)
    // A document that the container does not know yet is here already.
    try files.startDownloadingUbiquitousItem(at: url)
    try await cloud.here.sync()
    try CloudFixture.write("new", to: url)
    cloud.store.setOffline(true)
    #expect(throws: (any Error).self) { try files.evictUbiquitousItem(at: url) }
    #expect(CloudFixture.text(at: url) == "new")
  }

  @Test func `downloads a placeholder for a coordinated read`() async throws {
    try await cloud.writeThere("theirs", to: "Documents/Hut.txt")
    let url = cloud.documents.appending(path: "Hut.txt")
    var (error, text) = (nil as NSError?, nil as String?)
    let coordinator = NSFileCoordinator()
    coordinator.coordinate(readingItemAt: url, options: .immediatelyAvailableMetadataOnly, error: &error) {
      text = CloudFixture.text(at: $0)
    }
    #expect(error == nil && text == nil)
    coordinator.coordinate(readingItemAt: url, error: &error) { text = CloudFixture.text(at: $0) }
    #expect(error == nil && text == "theirs")
    try files.evictUbiquitousItem(at: url)
    await withCheckedContinuation { continuation in
      coordinator.coordinate(with: [.readingIntent(with: url)], queue: OperationQueue()) { error in
        #expect(error == nil && CloudFixture.text(at: url) == "theirs")
        continuation.resume()
      }
    }
  }
}
