import AppleDocuments
import FilePackages
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A presenter of a folder, with all methods for children.
private class FolderPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
  private let url: URL
  let presentedItemOperationQueue = OperationQueue()
  private let log = Mutex<[String]>([])

  init(_ url: URL) {
    self.url = url
    presentedItemOperationQueue.maxConcurrentOperationCount = 1
  }

  var presentedItemURL: URL? { url }
  var calls: [String] { log.withLock { $0 } }
  func note(_ call: String, _ url: URL? = nil) {
    log.withLock { $0.append(url.map { "\(call) \($0.lastPathComponent)" } ?? call) }
  }

  func presentedItemDidChange() { note("item changed") }
  func presentedItemDidMove(to newURL: URL) { note("item moved", newURL) }
  func presentedSubitemDidAppear(at url: URL) { note("appeared", url) }
  func presentedSubitemDidChange(at url: URL) { note("changed", url) }
  func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
    note("moved \(oldURL.lastPathComponent)", newURL)
  }
  func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    note("item deleted")
    completionHandler(nil)
  }
}

/// A presenter that implements one method for children, as an application does that knows only macOS.
private final class PlainPresenter: NSObject, NSFilePresenter, @unchecked Sendable {
  let presentedItemURL: URL?
  let presentedItemOperationQueue = OperationQueue()
  private let log = Mutex<[String]>([])

  init(_ url: URL) { presentedItemURL = url }

  var calls: [String] { log.withLock { $0 } }
  func presentedSubitemDidChange(at url: URL) { log.withLock { $0.append(url.lastPathComponent) } }
}

/// A presenter that another thread removes while its registration runs, when its URL is asked for.
private final class LeavingPresenter: FolderPresenter, @unchecked Sendable {
  private let asked = Mutex(0)
  private let last: Int

  init(_ url: URL, at last: Int) {
    self.last = last
    super.init(url)
  }

  override var presentedItemURL: URL? {
    let isLast = asked.withLock { asked in
      asked += 1
      return asked == last
    }
    if isLast {
      DispatchQueue.global().async { NSFileCoordinator.removeFilePresenter(self) }
      while NSFileCoordinator.filePresenters.contains(where: { $0 === self }) { usleep(1000) }
      // The watch ends right after that.
      usleep(10_000)
    }
    return super.presentedItemURL
  }
}

@Suite("A presenter beside programs that do not coordinate", .temporaryDirectory)
struct PresenterNewsTests {
  /// Makes a folder of that name, which has the file `one.txt` and a folder `Inside`.
  private func makeFolder(_ name: String) throws -> URL {
    let url = URL(filePath: folder.appending(name).string, directoryHint: .isDirectory)
    try createFolder(at: url.appending(path: "Inside"))
    try Data("1".utf8).write(to: url.appending(path: "one.txt"))
    return url
  }

  private func waits(until condition: () -> Bool) async { while !condition() { await Task.yield() } }

  @Test(.timeLimit(.minutes(60)), arguments: ["Folder", "Trip.rtfd"])
  func `hears of each child of a folder and of a package`(_ name: String) async throws {
    let url = try makeFolder(name)
    let presenter = FolderPresenter(url)
    try await waiting { NSFileCoordinator.addFilePresenter(presenter) }
    try Data("2".utf8).write(to: url.appending(path: "Inside/two.txt"))
    await waits { presenter.calls.contains("appeared two.txt") }
    try Data("1b".utf8).write(to: url.appending(path: "one.txt"))
    await waits { presenter.calls.contains("changed one.txt") }
    try FileManager.default.moveItem(at: url.appending(path: "one.txt"), to: url.appending(path: "three.txt"))
    await waits { presenter.calls.contains("appeared three.txt") }
    try FileManager.default.removeItem(at: url.appending(path: "Inside"))
    await waits { presenter.calls.contains("changed Inside") }
    let moved = url.deletingLastPathComponent().appending(path: "Moved \(name)")
    try FileManager.default.moveItem(at: url, to: moved)
    await waits { presenter.calls.contains("item moved Moved \(name)") }
    try FileManager.default.removeItem(at: moved)
    await waits { presenter.calls.contains("item deleted") }
    try await waiting { NSFileCoordinator.removeFilePresenter(presenter) }
  }

  @Test(.timeLimit(.minutes(60))) func `hears of a file, and of each child by its one method`() async throws {
    let url = try makeFolder("Folder")
    let (file, folder) = (FolderPresenter(url.appending(path: "one.txt")), PlainPresenter(url))
    try await waiting {
      NSFileCoordinator.addFilePresenter(file)
      NSFileCoordinator.addFilePresenter(folder)
    }
    try Data("1b".utf8).write(to: url.appending(path: "one.txt"))
    try Data("2".utf8).write(to: url.appending(path: "two.txt"))
    await waits { file.calls.contains("item changed") && Set(folder.calls) == ["one.txt", "two.txt"] }
    try await waiting {
      // A new child by coordination.
      let three = url.appending(path: "three.txt")
      NSFileCoordinator().coordinate(writingItemAt: three, error: nil) { try? Data("3".utf8).write(to: $0) }
    }
    await waits { folder.calls.contains("three.txt") }
    try await waiting {
      NSFileCoordinator.removeFilePresenter(file)
      NSFileCoordinator.removeFilePresenter(folder)
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: ["Folder", "Trip.rtfd"])
  func `hears of a coordinated write, and of its own writes never`(_ name: String) async throws {
    let url = try makeFolder(name)
    let presenter = FolderPresenter(url)
    try await waiting {
      NSFileCoordinator.addFilePresenter(presenter)
      func write(_ file: String, by coordinator: NSFileCoordinator) {
        coordinator.coordinate(writingItemAt: url.appending(path: file), error: nil) {
          try? Data("coordinated".utf8).write(to: $0)
        }
      }
      for number in 1...3 {
        write("own\(number).txt", by: NSFileCoordinator(filePresenter: presenter))
        write("other\(number).txt", by: NSFileCoordinator())
      }
    }
    // The watcher reports all earlier changes with the first of these at the latest, and the second one later.
    for number in 1...2 {
      try Data("2".utf8).write(to: url.appending(path: "last\(number).txt"))
      await waits { presenter.calls.contains("appeared last\(number).txt") }
    }
    // The watcher tells the same again.
    let calls = presenter.calls.filter { !$0.contains("last") && !$0.hasPrefix("changed other") }
    #expect(Set(calls) == Set((1...3).map { "appeared other\($0).txt" }))
    try await waiting { NSFileCoordinator.removeFilePresenter(presenter) }
  }

  /// Returns whether this process watches a folder, as the kernel lists it.
  private func isWatched(_ url: URL) throws -> Bool {
    let number = try #require(try fileNumber(of: url))
    let sign = " ino:\(String(number, radix: 16)) "
    return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").contains { file in
      // Another test may just have closed it.
      let info = try? String(contentsOfFile: "/proc/self/fdinfo/\(file)", encoding: .utf8)
      return info?.contains(sign) == true
    }
  }

  @Test(.timeLimit(.minutes(60)), arguments: 1...4)
  func `leaves no watch behind if it is removed during its registration`(moment: Int) async throws {
    let url = try makeFolder("Folder")
    let leaving = LeavingPresenter(url, at: moment)
    try await waiting { NSFileCoordinator.addFilePresenter(leaving) }
    if NSFileCoordinator.filePresenters.contains(where: { $0 === leaving }) {
      #expect(moment > 1)
      #expect(try isWatched(url.appending(path: "Inside")))
      try await waiting { NSFileCoordinator.removeFilePresenter(leaving) }
    }
    while try isWatched(url.appending(path: "Inside")) { await Task.yield() }
  }
}
