import Dispatch
import DurableIO
import FileTrees
import PackageFormat
import Synchronization
import SystemPackage

// WH1 A folder is watched before it is listed: the listing finds a new entry, or an event reports it.
// WH2 A watch belongs to a node, not to a path. If a folder is renamed, the hub releases its watches, watches it again
//     under its new name, and looks at all of it.
// WH3 A watch ends with the last document that needs it.

/// The hub of all watchers of a process: one inotify descriptor and one thread, which may block.
package actor WatchHub {
  private nonisolated let executor = QueueExecutor(label: "com.filepackages.watching")
  package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let disk = PosixDisk()
  private(set) lazy var watchTable: WatchTable<WatchPoint> = WatchTable(
    maximum: maximumWatches, on: executor.queue
  ) { [weak self] in self?.assumeIsolated { $0.readEvents() } }
  var packages: [WatchedPackage.ID: WatchedPackage] = [:]
  private var nextID: WatchedPackage.ID = 0
  /// The first halves of renames, until the second halves come.
  var renames: [UInt32: Set<WatchedPackage.ID>] = [:]
  /// The maximum number of watches for this hub; tests set it below the system's limit.
  private let maximumWatches: Int
  private var anchorsLeft: Int

  package init(maximumWatches: Int = .max, maximumAnchors: Int? = nil) {
    self.maximumWatches = maximumWatches
    anchorsLeft = maximumAnchors ?? PosixDisk().descriptorLimit / 8
  }

  private struct Weak: Sendable {
    weak var hub: WatchHub?
  }

  // The whole process has one descriptor, since a user may have few of them.
  private static let current = Mutex(Weak())

  static func shared() -> WatchHub {
    current.withLock { current in
      if let hub = current.hub { return hub }
      let hub = WatchHub()
      current.hub = hub
      return hub
    }
  }

  // MARK: Documents

  func add(
    _ path: FilePath, _ options: PackageWatcher.Options, _ state: (any WatchBaseline)?, _ report: WatchReport
  ) throws(FilePackageError) -> WatchedPackage.ID {
    let path = try resolved(path)
    nextID += 1
    let package = WatchedPackage(nextID, path, options, state, report)
    packages[package.id] = package
    do throws(SystemError) {
      // This includes the place: later events report a node that takes it (WH1).
      watchPlace(of: package)
      let place = try disk.openPlace(at: path)
      try install(place, in: package)
    } catch {
      remove(package.id)
      throw FilePackageError(error, .watch, StoredNode(location: Location(path, on: disk), path: .root))
    }
    guard let kind = package.status?.kind, kind == .directory || kind == .file else {
      remove(package.id)
      throw FilePackageError(.wrongKind, .watch, document: FileName(path).string)
    }
    poll(package.id, isFirst: true)
    return package.id
  }

  func remove(_ id: WatchedPackage.ID) {
    guard let package = packages.removeValue(forKey: id) else { return }
    if let root = package.root { unwatch(root, of: package) }
    unwatchPlace(of: package)
    drop(&package.anchor)
  }

  /// Returns the absolute path without a symbolic link.
  private func resolved(_ path: FilePath) throws(FilePackageError) -> FilePath {
    let node: StoredNode
    do {
      node = try StoredNode.look(at: path, following: true, on: disk)
    } catch {
      throw error.during(.watch)
    }
    return try node.attempt(.watch) {
      let folder = try disk.path(of: disk.openDirectory(at: node.location.path))
      return node.path.name.map { folder.appending($0) } ?? folder
    }
  }

  // MARK: Anchors

  func anchor(_ package: WatchedPackage, at place: consuming OwnedDescriptor) {
    drop(&package.anchor)
    guard anchorsLeft > 0 else { return }
    anchorsLeft -= 1
    package.anchor = OpenNode(place)
  }

  func drop(_ anchor: inout OpenNode?) {
    if anchor != nil { anchorsLeft += 1 }
    anchor = nil
  }

  package var watchCount: Int { watchTable.count }

  /// Reads the waiting events, a limited number at a time, so that timers run in between.
  private func readEvents() {
    watchTable.readEvents(atMost: 16) { handle($0) }
  }

  // MARK: Time

  /// Calls `body` on this thread after a delay, if this hub still exists.
  func after(_ delay: Duration, _ body: @escaping @Sendable (isolated WatchHub) -> Void) {
    executor.after(delay) { [weak self] in
      self?.assumeIsolated { body($0) }
    }
  }

  /// Blocks the thread until `gate` is open: for tests of a full queue.
  package func block(until gate: @Sendable () -> Void) { gate() }
}

/// The users of one watch.
struct WatchPoint: WatchUse {
  /// The folders of packages.
  var folders: [WatchedPackage.ID: WatchedFolder] = [:]
  /// The documents that stand in this folder, by name.
  var documents: [FileName: Set<WatchedPackage.ID>] = [:]
  /// The documents somewhere beneath it.
  var beneath: Set<WatchedPackage.ID> = []
  /// The path of the folder, if it is known.
  var path: FilePath?

  var isEmpty: Bool { folders.isEmpty && documents.isEmpty && beneath.isEmpty }
}
