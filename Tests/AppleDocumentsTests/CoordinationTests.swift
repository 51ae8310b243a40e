import AppleDocuments
import FilePackages
import Synchronization
import TestSupport
import Testing

/// A presenter that writes down its calls, on a queue of its own.
private final class Presenter: NSObject, NSFilePresenter, @unchecked Sendable {
  let presentedItemURL: URL?
  let presentedItemOperationQueue = OperationQueue()
  private let log = Mutex<[String]>([])
  private let refusal: (any Error)?

  init(_ url: URL, refusal: (any Error)? = nil) {
    (presentedItemURL, self.refusal) = (url, refusal)
    presentedItemOperationQueue.maxConcurrentOperationCount = 1
  }

  var calls: [String] { log.withLock { $0 } }
  private func note(_ call: String) { log.withLock { $0.append(call) } }

  func relinquishPresentedItem(toReader reader: @escaping @Sendable ((() -> Void)?) -> Void) {
    note("toReader")
    reader { [self] in note("reacquired") }
  }

  func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((() -> Void)?) -> Void) {
    note("toWriter")
    writer { [self] in note("reacquired") }
  }

  func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    note("save")
    completionHandler(refusal)
  }

  func presentedItemDidChange() { note("changed") }
}

@Suite("Coordination by Apple's names", .temporaryDirectory)
struct CoordinationTests {
  /// Makes the file `Note.txt`.
  private func makeNote() throws -> URL {
    let url = url("Note.txt")
    try Data("one".utf8).write(to: url)
    return url
  }

  @Test func `calls the accessor on the calling thread, and gives the error`() async throws {
    let url = try makeNote()
    let (texts, code) = try await waiting {
      var texts: [String] = []
      var error: NSError?
      let thread = Thread.current
      let coordinator = NSFileCoordinator(filePresenter: nil)
      coordinator.coordinate(writingItemAt: url, options: .forReplacing, error: &error) { url in
        #expect(Thread.current === thread)
        // The same coordinator reads within its write.
        coordinator.coordinate(readingItemAt: url, options: [], error: nil) { url in
          texts.append((try? String(contentsOf: url, encoding: .utf8)) ?? "")
        }
        // Another one would wait for ever.
        var refusal: NSError?
        NSFileCoordinator().coordinate(readingItemAt: url, error: &refusal) { _ in texts.append("wrong") }
        texts.append("\(refusal?.domain ?? "nil") \(refusal?.code ?? 0)")
      }
      #expect(error == nil)
      coordinator.cancel()
      coordinator.coordinate(readingItemAt: url, options: [], error: &error) { _ in texts.append("wrong") }
      return (texts, error?.code)
    }
    #expect(texts == ["one", "\(NSCocoaErrorDomain) \(CocoaError.fileLocking.rawValue)"])
    #expect(code == CocoaError.userCancelled.rawValue)
  }

  @Test func `asks and tells a presenter, but not the one that makes the access`() async throws {
    let url = try makeNote()
    let presenter = Presenter(url)
    try await waiting {
      NSFileCoordinator.addFilePresenter(presenter)
      #expect(NSFileCoordinator.filePresenters.contains { $0 === presenter })
      NSFileCoordinator(filePresenter: presenter).coordinate(readingItemAt: url, error: nil) { _ in }
      #expect(presenter.calls.isEmpty)
      NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in
        #expect(presenter.calls == ["toReader", "save"])
      }
      NSFileCoordinator().coordinate(writingItemAt: url, error: nil) { _ in }
      // The next access comes after the news of the last one.
      NSFileCoordinator().coordinate(readingItemAt: url, options: .withoutChanges, error: nil) { _ in }
      NSFileCoordinator.removeFilePresenter(presenter)
      NSFileCoordinator().coordinate(readingItemAt: url, error: nil) { _ in }
    }
    #expect(presenter.calls.filter { $0 == "save" }.count == 1)
    #expect(presenter.calls.filter { $0 == "toReader" }.count == 2)
    #expect(presenter.calls.filter { $0 == "toWriter" }.count == 1)
    #expect(!NSFileCoordinator.filePresenters.contains { $0 === presenter })
  }

  @Test func `reads nothing if a presenter refuses, and calls the queue in each case`() async throws {
    let url = try makeNote()
    let presenter = Presenter(url, refusal: CocoaError(.fileWriteOutOfSpace))
    try await waiting { NSFileCoordinator.addFilePresenter(presenter) }
    let queue = OperationQueue()
    func access(_ options: NSFileCoordinator.ReadingOptions) async -> (any Error)? {
      await withCheckedContinuation { continuation in
        NSFileCoordinator().coordinate(
          with: [NSFileAccessIntent.readingIntent(with: url, options: options)], queue: queue
        ) { error in
          #expect(OperationQueue.current === queue)
          continuation.resume(returning: error)
        }
      }
    }
    let error = await access([]) as NSError?
    #expect(error?.domain == NSCocoaErrorDomain && "\(error as Any)".contains("Note.txt"))
    let second = await access(.withoutChanges)
    #expect(second == nil, "\(second as Any)")
    try await waiting { NSFileCoordinator.removeFilePresenter(presenter) }
  }
}
