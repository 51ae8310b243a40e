import DurableIO
import FileTrees
public import FoundationEssentials
public import PackageFormat
import SystemPackage

/// A watcher that reports changes by other programs to one document on disk: a package, with all folders in it, or a
/// flat file.
///
/// ```swift
/// let watcher = try await PackageWatcher.watch(url, knowing: store)
/// for await event in watcher {
///   switch event {
///   case .changed(let paths): …
///   case .moved(let url): …
///   case .replaced, .overflow: …  // look at everything
///   case .deleted: …
///   }
/// }
/// ```
///
/// The watcher misses no change after `watch(_:knowing:options:)` returned, even in folders that are made and filled at
/// once. It reports each change by its place or as an `overflow`. A report may be older than the disk when a listener
/// reads it: look at the disk. The watcher does not follow symbolic links, and leaves out the hidden folder.
///
/// The watcher knows a document by its path and by its node. A node at the path is the document. Another node there is
/// a `replaced`, since other programs replace a document to save it. If the path is empty and the node is found at
/// another path, the document moved.
///
/// **Limits.** The kernel reports local changes only. `Options.polls` finds changes that another machine makes to a
/// file system that both have mounted (NFS, SMB and other network file systems). The kernel reports writes through a
/// memory map when the file is closed. If the system allows no more watches, the watcher looks at folders every
/// `Options.pollInterval`, and `limitation` says so. The watcher can follow a moved document if the process's limit of
/// descriptors is at least eight times the number of watched documents. Beyond that, it finds a document only if it was
/// renamed into the folder of a watched document; any other moved document counts as deleted.
///
/// **Cost.** All watchers of a process share one inotify descriptor and one thread. A watcher has one watch for each
/// folder of the package and for each folder above it; watchers share these. It has a descriptor of the document while
/// there are enough. Starting a watcher lists every folder of the package.
public final class PackageWatcher: Sendable {
  private let hub: WatchHub
  private let id: WatchedPackage.ID
  private let report: WatchReport

  private init(_ hub: WatchHub, _ id: WatchedPackage.ID, _ report: WatchReport) {
    (self.hub, self.id, self.report) = (hub, id, report)
  }

  deinit {
    let (hub, id) = (hub, id)
    report.end()
    Task { await hub.remove(id) }
  }

  /// The options for watching a document.
  public struct Options: Sendable {
    /// The time without events before a report.
    public var quietPeriod: Duration = .milliseconds(100)
    /// The longest time that a report waits while events continue.
    public var latency: Duration = .seconds(1)
    /// The time that the document's place must stay empty before the document counts as moved or deleted.
    ///
    /// A program that saves in two steps first removes the old file.
    public var absence: Duration = .milliseconds(500)
    /// The interval of looks at folders that have no watch.
    public var pollInterval: Duration = .seconds(2)
    /// Whether the watcher looks at everything every `pollInterval`, for file systems that other machines write to.
    ///
    /// Each time it looks once at every node of the document.
    public var polls = false
    /// The maximum number of places in a report; with more, the report is an `overflow`.
    public var maximumPaths = 65_536

    /// Makes the usual options.
    public init() {}
  }

  /// An event of the document.
  public enum Event: Sendable, Hashable {
    /// A child was made, removed or written, or its attributes were set, at these places within the document.
    ///
    /// The places are in byte order; bytes that are not UTF-8 are spelled as in the keys of `FileWrapper`. The place of
    /// a flat file is the empty path.
    case changed([String])
    /// The document is at another path, with the same contents.
    case moved(to: URL)
    /// Another file or folder is in the document's place: look at everything.
    case replaced
    /// The document was removed, or moved to a place that the watcher does not find.
    ///
    /// If its place has a node again later, the watcher reports `replaced`.
    case deleted
    /// There were more changes than a report can name: look at everything, including whether the document exists.
    case overflow
  }

  /// Starts to watch the document at `url`.
  ///
  /// - Parameters:
  ///   - url: a package or a regular file; a symbolic link to one is followed once, at this call.
  ///   - state: the known state that the watcher asks before each report, held weakly. Without it the watcher reports
  ///     every change.
  /// - Throws: `noSuchFile`; `wrongKind` for a node that is neither a folder nor a file; the system's error. If watches
  ///   or descriptors are too few, it does not throw: `limitation` has the reason.
  public static func watch(
    _ url: URL, knowing state: (any WatchBaseline)? = nil, options: Options = Options()
  ) async throws(FilePackageError) -> PackageWatcher {
    try await watch(url, knowing: state, options: options, in: WatchHub.shared())
  }

  package static func watch(
    _ url: URL, knowing state: (any WatchBaseline)? = nil, options: Options = Options(), in hub: WatchHub
  ) async throws(FilePackageError) -> PackageWatcher {
    let path = try FilePath(of: url, for: .watch)
    let report = WatchReport(maximumPaths: options.maximumPaths)
    let id = try await hub.add(path, options, state, report)
    return PackageWatcher(hub, id, report)
  }

  /// The current path of the document, or its last path.
  public var url: URL { report.url }

  /// The reason why the watcher polls some folders, and the remedy; nil if all folders have watches.
  ///
  /// It changes when folders are added or removed.
  public var limitation: FilePackageError? { report.limitation }

  /// Ends the watching and every iteration, and releases the watches before it returns.
  ///
  /// A caller may call it again.
  public func stop() async {
    report.end()
    await hub.remove(id)
  }
}

extension PackageWatcher: AsyncSequence {
  /// A listener of the watcher.
  ///
  /// If a watcher has several listeners, each event reaches only one of them.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let watcher: PackageWatcher

    /// Returns the next event; nil after `stop()` or if the task is cancelled.
    ///
    /// Events that wait for a listener are combined, so that a slow listener costs no memory.
    public mutating func next() async -> Event? {
      await watcher.report.next()
    }

    /// Returns the next event; nil after `stop()` or if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
      await watcher.report.next()
    }
  }

  /// Makes a listener, which first receives the events that no listener has received.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(watcher: self) }
}

extension PackageWatcher.Event: CustomStringConvertible {
  /// One line, such as `changed Text.txt, Images/1.png`.
  public var description: String {
    switch self {
    case .changed(let paths):
      "changed " + paths.map { $0.isEmpty ? "the document" : displayString($0) }.joined(separator: ", ")
    case .moved(let url): "moved to \(displayString(url.path))"
    case .replaced: "replaced by another file or folder"
    case .deleted: "deleted"
    case .overflow: "changed in more places than a report can name"
    }
  }
}
