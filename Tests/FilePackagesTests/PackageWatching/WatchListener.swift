import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import Synchronization
import SystemPackage
import TestSupport
import Testing

/// A listener that receives all events of a watcher.
final class WatchListener: Sendable {
  let watcher: PackageWatcher
  private let heard: Heard
  private let listening: Task<Void, Never>

  private final class Heard: Sendable {
    let events = Mutex<[PackageWatcher.Event]>([])
  }

  init(_ watcher: PackageWatcher) {
    let heard = Heard()
    (self.watcher, self.heard) = (watcher, heard)
    listening = Task { for await event in watcher { heard.events.withLock { $0.append(event) } } }
  }

  deinit { listening.cancel() }

  var events: [PackageWatcher.Event] { heard.events.withLock { $0 } }

  /// All reported places.
  var paths: Set<String> {
    events.reduce(into: []) { paths, event in
      if case .changed(let more) = event { paths.formUnion(more) }
    }
  }

  /// All reported events except changes within the document.
  var others: [PackageWatcher.Event] {
    events.filter { if case .changed = $0 { false } else { true } }
  }

  func forget() { heard.events.withLock { $0 = [] } }

  /// Waits until the condition holds; fails after a time that no event takes.
  func expect(
    _ location: SourceLocation = #_sourceLocation, _ condition: (WatchListener) -> Bool
  ) async throws {
    try await waitUntil("such event after \(events.suffix(20))", at: location) { condition(self) }
  }

  /// Returns all places reported before a file of that name is made, so that a test can show the absence of reports.
  func all(before name: String = "Marker", in folder: String) async throws -> Set<String> {
    try Data("marker".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
    try await expect { $0.paths.contains(name) }
    return paths.subtracting([name])
  }

  func end() async {
    await watcher.stop()
    await listening.value
  }
}

extension PackageWatcher.Options {
  /// The shortest periods.
  static var hasty: PackageWatcher.Options {
    var options = PackageWatcher.Options()
    options.quietPeriod = .milliseconds(4)
    options.latency = .milliseconds(40)
    options.absence = .milliseconds(40)
    options.pollInterval = .milliseconds(20)
    return options
  }
}

extension Scratch {
  /// Watches the node with that name.
  func watch(
    _ name: String, knowing state: (any WatchBaseline)? = nil, options: PackageWatcher.Options = .hasty,
    in hub: WatchHub = WatchHub()
  ) async throws -> WatchListener {
    // A process that another test started may hold a copy of a descriptor until its `exec`: its closing is an event.
    let inside = (try? FileManager.default.subpathsOfDirectory(atPath: text(name))) ?? []
    for place in [text(name)] + inside.map({ text("\(name)/\($0)") }) {
      try await waitUntil("end of writing \(place)") { !isWritten(place) }
    }
    return WatchListener(try await PackageWatcher.watch(url(name), knowing: state, options: options, in: hub))
  }

  /// Returns whether a process has the file open for writing: the system gives no lease for reading then.
  private func isWritten(_ path: String) -> Bool {
    let setLease: Int32 = 1024  // `F_SETLEASE`, which the module of the C library leaves out.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    defer { close(file) }
    if fcntl(file, setLease, F_RDLCK) != 0 { return errno == EAGAIN }
    // Before the closing: a copy of this descriptor would keep the lease.
    _ = fcntl(file, setLease, F_UNLCK)
    return false
  }

  func text(_ path: String) -> String { self.path.string + "/" + path }

  func write(_ string: String, to path: String) throws {
    try Data(string.utf8).write(to: url(path))
  }

  func makeFolder(_ path: String) throws {
    try FileManager.default.createDirectory(atPath: text(path), withIntermediateDirectories: true)
  }

  func rename(_ old: String, to new: String) throws {
    try #require(Glibc.rename(text(old), text(new)) == 0, "\(errno)")
  }

  func exchange(_ one: FileName, _ other: FileName) throws {
    let folder = try disk.openDirectory(at: path)
    try disk.rename(one, in: folder, to: other, in: folder, .exchange)
  }
}
