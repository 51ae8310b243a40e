public import Documents
import FilePackages
public import Foundation
import Synchronization

/// A place for an error, as Apple's methods take it: `&error` for a variable of type `NSError?`, or nil.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// An item that an access reads or writes.
public typealias NSFileAccessIntent = FileAccessIntent

/// Coordinates reads and writes of an item with other coordinators, in this process and in other processes.
///
/// Counterpart of Apple's `NSFileCoordinator`, over `FileCoordinator`. Its methods wait on the calling thread.
///
/// Unlike Apple's class, it ends a wait after `FileCoordinator.defaultDeadline`. So if a presenter needs the waiting
/// thread for its answer, the access fails instead of waiting forever. A read first downloads a placeholder of a
/// registered container; that wait has no limit. Errors are of Cocoa's domain. Their underlying error is a
/// `FileCoordinationError`, or the reason why a download failed.
// `@unchecked`: `presenter` is a constant, and `state` guards its own value. A subclass guards its own properties.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
  /// The way in which an access reads an item.
  public typealias ReadingOptions = FileCoordinator.ReadingOptions
  /// The change that an access makes to an item.
  public typealias WritingOptions = FileCoordinator.WritingOptions

  private struct State {
    var purpose: String?
    var coordinator: FileCoordinator?
  }

  private let presenter: (any FilePresenter)?
  private let state = Mutex(State())

  /// Makes a coordinator.
  ///
  /// - Parameter filePresenter: the presenter that makes the accesses. The coordinator does not call its methods.
  public init(filePresenter: (any NSFilePresenter)? = nil) {
    // The engine of a document takes part for it.
    let engine = (filePresenter as? any PresentedModel)?.file.news.presenter
    presenter = engine ?? filePresenter.map { PresenterLink.of($0) }
    super.init()
  }

  /// - Parameter presenter: the presenter of an engine.
  init(presenter: (any FilePresenter)?) {
    self.presenter = presenter
    super.init()
  }

  /// Makes a coordinator without a presenter.
  public override convenience init() { self.init(filePresenter: nil) }

  /// The purpose of this coordinator's accesses. Accesses with the same purpose never wait for each other.
  ///
  /// A program sets it once, before the first access. A later or an empty one is a programming error.
  open var purposeIdentifier: String {
    get { coordinator.purposeIdentifier }
    set {
      state.withLock { state in
        precondition(!newValue.isEmpty, "a purpose identifier must not be empty")
        precondition(state.coordinator == nil && presenter == nil, "the coordinator has a purpose already")
        state.purpose = newValue
      }
    }
  }

  private var coordinator: FileCoordinator {
    state.withLock { state in
      if let coordinator = state.coordinator { return coordinator }
      let new = FileCoordinator(filePresenter: presenter, purposeIdentifier: state.purpose)
      state.coordinator = new
      return new
    }
  }

  // MARK: Accesses

  /// Reads an item: waits for other programs, and calls `reader` with the item's URL on the calling thread.
  ///
  /// If the access fails, `reader` is not called, and `outError` gets the reason.
  open func coordinate(
    readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
    byAccessor reader: (URL) -> Void
  ) {
    access([.readingIntent(with: url, options: options)], outError) { reader($0[0]) }
  }

  /// Writes an item: waits for other programs, and calls `writer` with the item's URL on the calling thread.
  ///
  /// If the access fails, `writer` is not called, and `outError` gets the reason.
  open func coordinate(
    writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
    byAccessor writer: (URL) -> Void
  ) {
    access([.writingIntent(with: url, options: options)], outError) { writer($0[0]) }
  }

  /// Reads one item and writes another one, both at once.
  ///
  /// If the access fails, `readerWriter` is not called, and `outError` gets the reason.
  open func coordinate(
    readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [],
    writingItemAt writingURL: URL, options writingOptions: WritingOptions = [],
    error outError: NSErrorPointer, byAccessor readerWriter: (URL, URL) -> Void
  ) {
    access(
      [
        .readingIntent(with: readingURL, options: readingOptions),
        .writingIntent(with: writingURL, options: writingOptions),
      ], outError
    ) { readerWriter($0[0], $0[1]) }
  }

  /// Writes two items at once, as for a move.
  ///
  /// If the access fails, `writer` is not called, and `outError` gets the reason.
  open func coordinate(
    writingItemAt url1: URL, options options1: WritingOptions = [],
    writingItemAt url2: URL, options options2: WritingOptions = [],
    error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
  ) {
    access(
      [.writingIntent(with: url1, options: options1), .writingIntent(with: url2, options: options2)], outError
    ) { writer($0[0], $0[1]) }
  }

  /// Asks the presenters of many items at once to save and relinquish them.
  ///
  /// `batchAccessor` gets a closure that ends the preparation, and calls it after its own accesses.
  open func prepare(
    forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
    writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
    error outError: NSErrorPointer, byAccessor batchAccessor: (@escaping () -> Void) -> Void
  ) {
    let intents =
      readingURLs.map { FileAccessIntent.readingIntent(with: $0, options: readingOptions) }
      + writingURLs.map { FileAccessIntent.writingIntent(with: $0, options: writingOptions) }
    access(intents, takingClaims: false, outError) { _ in
      let done = DispatchSemaphore(value: 0)
      batchAccessor { done.signal() }
      done.wait()
    }
  }

  /// Waits for other programs, and calls `accessor` with the items' URLs, in the order of the intents.
  private func access(
    _ intents: [FileAccessIntent], takingClaims: Bool = true, _ outError: NSErrorPointer,
    _ accessor: ([URL]) -> Void
  ) {
    do {
      try DocumentProviders.bringHereBlocking(intents)
      try coordinator.coordinateBlocking(with: intents, takingClaims: takingClaims) {
        // The presenter that writes hears nothing of its own writes.
        let link = presenter as? PresenterLink
        let pause = link?.watch.pause()
        accessor(intents.map(\.url))
        if let link { try? waitBlocking { await link.settle(intents) } }  // The closure throws nothing.
        pause?.finish()
      }
    } catch {
      outError?.pointee = Self.cocoaError(error)
    }
  }

  private static func cocoaError(_ error: any Error) -> NSError {
    let code = (error as? FileCoordinationError)?.cocoaCode ?? .fileReadUnknown
    return NSError(
      domain: NSCocoaErrorDomain, code: code.rawValue,
      userInfo: [NSLocalizedDescriptionKey: "\(error)", NSUnderlyingErrorKey: error])
  }

  /// Reads and writes any number of items in one access. It returns at once, and later calls `accessor` on `queue`.
  ///
  /// During the call, the `url` of an intent is the place of its item. If the access fails, the accessor gets the
  /// reason and must not use the items.
  open func coordinate(
    with intents: [NSFileAccessIntent], queue: OperationQueue,
    byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
  ) {
    let (coordinator, link) = (self.coordinator, presenter as? PresenterLink)
    Task {
      do {
        try await DocumentProviders.bringHere(intents)
        try await coordinator.coordinate(with: intents) {
          let pause = link?.watch.pause()
          await Self.run(on: queue) { accessor(nil) }
          await link?.settle(intents)
          pause?.finish()
        }
      } catch {
        await Self.run(on: queue) { accessor(Self.cocoaError(error)) }
      }
    }
  }

  private static func run(on queue: OperationQueue, _ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      queue.addOperation {
        body()
        continuation.resume()
      }
    }
  }

  /// Ends all waiting accesses with `CocoaError.userCancelled`; later ones of this coordinator fail, too.
  open func cancel() { coordinator.cancel() }

  // MARK: Moving

  /// Does nothing. On Apple's systems it announces a move.
  open func item(at oldURL: URL, willMoveTo newURL: URL) {}

  /// Reports a move of an item, from within an accessor that writes it.
  ///
  /// If the report does not reach other programs, the item is missing for them.
  open func item(at oldURL: URL, didMoveTo newURL: URL) {
    let coordinator = self.coordinator
    try? waitBlocking { try await coordinator.item(at: oldURL, didMoveTo: newURL) }  // As Apple's.
  }

  // MARK: Presenters

  /// Registers a presenter, and retains it until `removeFilePresenter(_:)`.
  ///
  /// The presenter gets the news of coordinated writes, and of changes by programs that do not coordinate. If its
  /// registration cannot be published to other processes, it gets none.
  ///
  /// An open `UIDocument` or `NSDocument` registers itself: for those, the method does nothing.
  ///
  /// Cost: one status of each file and folder in the item, and one watch of each folder.
  open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
    if filePresenter is any PresentedModel { return }
    let link = PresenterLink.register(filePresenter)
    try? waitBlocking {  // Apple's method has no way to report an error either.
      try await FileCoordinator.addFilePresenter(link)
      await link.watch.follow(link)
    }
  }

  /// Ends the registration of a presenter; does nothing for an unregistered one.
  open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
    guard let link = PresenterLink.unregister(filePresenter) else { return }
    link.watch.stop()
    try? waitBlocking { await FileCoordinator.removeFilePresenter(link) }  // The removal throws nothing.
  }

  /// The registered presenters of this process, in no particular order.
  open class var filePresenters: [any NSFilePresenter] { PresenterLink.all.map(\.presenter) }
}
