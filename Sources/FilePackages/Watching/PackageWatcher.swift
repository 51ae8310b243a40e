import DurableIO
public import FoundationEssentials
import SystemPackage

/// Tells of what other programs do to one document on disk: a package, with all folders in it, or a flat file.
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
/// Nothing that happens after `watch(_:knowing:options:)` returned is missed, also in folders that are made and
/// filled at once: it is reported, by its place or as an `overflow`. What is reported may be older news than what
/// is on disk by the time it is read: look at the disk. Symbolic links are not followed, and the package's hidden
/// folder is left out.
///
/// A document is known by its path and by its node. As long as something stands at the path, that is the document:
/// another node there is a `replaced`, as other programs save. When there is nothing, and the node is found
/// somewhere else, the document moved.
///
/// **Limits.** The kernel tells of local changes only: what another machine does to a file system that both have
/// mounted (NFS, SMB and other network file systems) is found with `Options.polls`. Writing through a memory
/// map is told of when the file is closed. Where the system allows no more watches, folders are looked at every
/// `Options.pollInterval`, and `limitation` says so. Where a document went is known as long as the process may have
/// eight times as many descriptors as there are documents watched; beyond that, only when it was renamed in a folder
/// in which a watched document stands, and otherwise it counts as deleted.
///
/// **Cost.** All watchers of a process share one inotify descriptor and one thread. A watcher has a watch for
/// each folder of the package and for each one above it, where watchers share them, and a descriptor of the
/// document while there are enough; starting one lists every folder of the package.
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

  /// How a document is watched.
  public struct Options: Sendable {
    /// How long nothing has to happen before what happened is reported.
    public var quietPeriod: Duration = .milliseconds(100)
    /// How long a report waits at most while things go on happening.
    public var latency: Duration = .seconds(1)
    /// How long nothing has to be in the document's place before it counts as moved or deleted: programs that
    /// save in two steps take the old file away first.
    public var absence: Duration = .milliseconds(500)
    /// How often is looked at what the system does not tell of.
    public var pollInterval: Duration = .seconds(2)
    /// Whether everything is looked at every `pollInterval`, for file systems that other machines write to: one
    /// look at every node of the document each time.
    public var polls = false
    /// How many places a report names; when there are more, it is an `overflow`.
    public var maximumPaths = 65_536

    /// The usual way.
    public init() {}
  }

  /// What happened to the document.
  public enum Event: Sendable, Hashable {
    /// Something happened at these places within the document, in byte order, bytes that are not UTF-8 spelled as in
    /// the keys of `FileWrapper`: made, removed, written, or its attributes set. Of a flat file it is the
    /// empty path.
    case changed([String])
    /// The document is somewhere else, with the same contents.
    case moved(to: URL)
    /// Another file or folder stands in the document's place: look at everything.
    case replaced
    /// The document is gone. When there is one in its place again, that is a `replaced`.
    case deleted
    /// More happened than could be told: look at everything, also at whether the document is still there.
    case overflow
  }

  /// Starts to watch the document at `url`.
  ///
  /// - Parameters:
  ///   - url: a package or a regular file; a symbolic link to one is followed once, now.
  ///   - state: what is asked before anything is reported; held weakly, and without it everything is.
  /// - Throws: `noSuchFile`, `wrongKind` for what is neither a folder nor a file, or the system's reason. Too few
  ///   watches or descriptors are no error but a `limitation`.
  public static func watch(
    _ url: URL, knowing state: (any KnownState)? = nil, options: Options = Options()
  ) async throws(FilePackageError) -> PackageWatcher {
    try await watch(url, knowing: state, options: options, in: WatchHub.shared())
  }

  package static func watch(
    _ url: URL, knowing state: (any KnownState)? = nil, options: Options = Options(), in hub: WatchHub
  ) async throws(FilePackageError) -> PackageWatcher {
    let path = try FilePath(of: url, for: .watch)
    let report = WatchReport(maximumPaths: options.maximumPaths)
    let id = try await hub.add(path, options, state, report)
    return PackageWatcher(hub, id, report)
  }

  /// Where the document is, or was last.
  public var url: URL { report.url }

  /// Why some folders are looked at from time to time instead of being watched, and what to do; nil when all are
  /// watched. It may come and go with the folders.
  public var limitation: FilePackageError? { report.limitation }

  /// Ends the watching and every iteration, and gives back the watches before it returns. May be called again.
  public func end() async {
    report.end()
    await hub.remove(id)
  }
}

extension PackageWatcher: AsyncSequence {
  /// One listener. When there are several, each event goes to one of them.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let watcher: PackageWatcher

    /// The next event; nil after `end()`, and when the task is cancelled. What happened while nobody asked is put
    /// together, so that a slow listener costs no memory.
    public mutating func next() async -> Event? {
      await watcher.report.next()
    }

    /// The same.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
      await watcher.report.next()
    }
  }

  /// Listens from now on, and to what nobody heard so far.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(watcher: self) }
}
