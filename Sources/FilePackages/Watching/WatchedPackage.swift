import DurableIO
import SystemPackage

/// One document that is watched. Belongs to its hub, like all that it holds.
final class WatchedPackage {
  typealias ID = UInt64

  let id: ID
  let options: PackageWatcher.Options
  let report: WatchReport
  private(set) weak var state: (any KnownState)?

  var path: FilePath {
    didSet { report.note(path) }
  }
  /// The document as it was found in its place; nil when it is gone.
  var status: FileStatus?
  /// Keeps the node's number from being used again, and tells where it is.
  var anchor: OpenNode?
  /// The package's own folder; nil for a flat file.
  var root: WatchedFolder?
  /// The watches of the folders above, and the name that the document has in the first of them.
  var placeWatches: [Int32] = []
  var placeName: FileName?
  /// Whether the system tells of everything that happens to the folders above.
  var isPlaceWatched = false
  /// Where the document was seen to be renamed to.
  var lead: FilePath?
  var missingSince: ContinuousClock.Instant?

  /// What is still to be reported.
  var news = WatchNews()
  var firstNews: ContinuousClock.Instant?
  var lastNews: ContinuousClock.Instant?
  var isTimerSet = false
  var isPollSet = false
  /// Whether the known state is being asked.
  var isAsking = false
  /// Whether a folder came that could not be looked at, so that not everything is known that is in it.
  var isIncomplete = false
  /// How many folders are polled for want of a watch.
  private(set) var polledFolders = 0

  init(
    _ id: ID, _ path: FilePath, _ options: PackageWatcher.Options, _ state: (any KnownState)?,
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

  /// Takes back what was said of limits once there are none.
  func noteLimits() {
    if polledFolders == 0 && isPlaceWatched { report.note(nil) }
  }

  func insert(_ path: PackagePath, isFound: Bool = false) {
    news.insert(path, isFound: isFound, limit: options.maximumPaths)
  }

  /// Whether this is the very node that was found, and not one that got its number.
  func isNode(_ status: FileStatus) -> Bool {
    guard let known = self.status else { return false }
    return status.identity.isSameNode(as: known.identity) && status.born == known.born
  }
}

/// One folder of a watched package.
final class WatchedFolder {
  let name: FileName
  private(set) weak var parent: WatchedFolder?
  var children: [FileName: WatchedFolder] = [:]
  /// Nil where the system cannot tell of it.
  var watch: Int32?
  /// Whether it is looked at from time to time, for want of a watch.
  var isPolled = false
  /// What was in it when it was last looked at, where that is done.
  var seen: [FileName: FileStatus] = [:]

  init(_ name: FileName, in parent: WatchedFolder?) {
    (self.name, self.parent) = (name, parent)
  }

  /// Its place in the package.
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
