import DurableIO
import FileTrees
import PackageFormat
import SystemPackage

/// A watched document.
///
/// It belongs to its hub, with all its properties.
final class WatchedPackage {
  typealias ID = UInt64

  let id: ID
  let options: PackageWatcher.Options
  let report: WatchReport
  private(set) weak var state: (any WatchBaseline)?

  var path: FilePath {
    didSet { report.note(path) }
  }
  /// The status of the document in its place; nil if it is gone.
  var status: FileStatus?
  /// An open descriptor of the node, which reserves the node's number and leads to its path.
  var anchor: OpenNode?
  /// The package's own folder; nil for a flat file.
  var root: WatchedFolder?
  /// The watches of the folders above, and the name of the document in the first of them.
  var placeWatches: [Int32] = []
  var placeName: FileName?
  /// Whether the system reports every event of the folders above.
  var isPlaceWatched = false
  /// The path to which the document was seen to be renamed.
  var lead: FilePath?
  var missingSince: ContinuousClock.Instant?

  /// The news that still wait for a report.
  var news = WatchNews()
  var firstNews: ContinuousClock.Instant?
  var lastNews: ContinuousClock.Instant?
  var isTimerSet = false
  var isPollSet = false
  /// Whether the hub is asking the known state.
  var isAsking = false
  /// Whether a new folder could not be looked at, so that some of its entries are unknown.
  var isIncomplete = false
  /// The number of folders without a watch, which the hub polls.
  private(set) var polledFolders = 0

  init(
    _ id: ID, _ path: FilePath, _ options: PackageWatcher.Options, _ state: (any WatchBaseline)?,
    _ report: WatchReport
  ) {
    (self.id, self.path, self.options, self.state, self.report) = (id, path, options, state, report)
    report.note(path)
  }

  var needsPolling: Bool { options.polls || polledFolders > 0 || status == nil || !isPlaceWatched }

  func setPolled(_ folder: WatchedFolder, _ isPolled: Bool) {
    guard folder.isPolled != isPolled else { return }
    folder.isPolled = isPolled
    polledFolders += isPolled ? 1 : -1
    noteLimits()
  }

  /// Withdraws the limitation if all folders have watches.
  func noteLimits() {
    if polledFolders == 0 && isPlaceWatched { report.note(nil) }
  }

  func insert(_ path: PackagePath, isFound: Bool = false) {
    news.insert(path, isFound: isFound, limit: options.maximumPaths)
  }

  /// Returns whether this is the same node, and not a new node with its number.
  func isNode(_ status: FileStatus) -> Bool {
    guard let known = self.status else { return false }
    return status.identity.isSameNode(as: known.identity) && status.born == known.born
  }
}

/// A folder of a watched package.
final class WatchedFolder {
  let name: FileName
  private(set) weak var parent: WatchedFolder?
  var children: [FileName: WatchedFolder] = [:]
  /// Nil if the system refuses a watch.
  var watch: Int32?
  /// Whether the hub polls the folder because it has no watch.
  var isPolled = false
  /// The entries of a polled folder at the last look.
  var seen: [FileName: FileStatus] = [:]

  init(_ name: FileName, in parent: WatchedFolder?) {
    (self.name, self.parent) = (name, parent)
  }

  /// The folder's place in the package.
  var path: PackagePath {
    var names: [FileName] = []
    var folder = self
    while let parent = folder.parent {
      names.append(folder.name)
      folder = parent
    }
    return PackagePath(names.reversed())
  }
}
