package import DurableIO
package import FileTrees
package import PackageFormat

/// The steps of a save, decided before it touches anything on disk.
///
/// Its description is the output of `--dry-run`: a line a step.
public struct SavePlan: Sendable {
  /// One change at one place. The steps of a plan touch disjoint names.
  package struct Step: Sendable {
    /// Large values are elsewhere: a plan has a step for each new child.
    package enum Action: Sendable {
      /// Makes a directory; its children follow as steps of their own.
      ///
      /// It gets the owner, the access list and the `user.*` attributes of `original`, if there is one.
      indirect case makeDirectory(like: StoredNode?)
      /// Makes a regular file of these bytes.
      case write(FileContents)
      /// Takes the regular file at `source` on disk, its bytes unchanged.
      indirect case reuse(StoredNode)
      /// Makes a symbolic link, or takes the one at a place on disk.
      indirect case link(PackageSnapshot.Node)
      /// Gives other permissions or another date to a directory that stays.
      case setAttributes
      /// Removes the node, with everything in it.
      case remove
      /// Writes `Metadata.plist`, completed with the sums of all other steps.
      case writeMetadata
    }

    package var path: PackagePath
    package var action: Action
    package var attributes: NodeAttributes
    /// The node on disk at that place, which the step replaces or removes; nil if there is none.
    package var replaced: Replaced?
    /// The hash of the bytes in memory that the step writes, if the plan needed it.
    var content: ContentHash?

    /// Whether the step puts a node at its place.
    var makesNode: Bool {
      switch action {
      case .write, .reuse, .link, .makeDirectory, .writeMetadata: true
      case .setAttributes, .remove: false
      }
    }

    /// Whether the step makes a folder.
    var makesFolder: Bool {
      if case .makeDirectory = action { true } else { false }
    }

    /// Whether the step may make a regular file.
    var makesFile: Bool {
      switch action {
      case .write, .reuse: true
      default: false
      }
    }
  }

  /// A node that a step replaces or removes.
  package struct Replaced: Sendable {
    /// Its last known status; a node with another status is another program's edit.
    package var status: FileStatus?
    /// The folder's wrapper, which knows its children, if the program holds it.
    var wrapper: FileWrapper?

    init(status: FileStatus?) { self.status = status }

    /// Makes the node that a tree knows; nil if the tree knows that there is none.
    init?(_ baseline: DirectoryNode.Baseline) {
      guard case .present(let node) = baseline else { return nil }
      (status, wrapper) = (node?.status, node?.wrapper)
    }
  }

  /// The package that stays except for the steps; nil if the steps make all of it. The plan of a document that is no
  /// directory has one step, at the root.
  package var base: Location?
  /// The new attributes of the package's own directory; nil if they stay.
  package var rootAttributes: NodeAttributes?
  package var steps: [Step] = []
  /// The files on disk that already have the bytes that the save gives them.
  var identical: [PackagePath: FileStatus] = [:]
  /// The node whose owner, access list and `user.*` attributes a new document's own node gets; nil for none.
  var original: StoredNode?
  /// Hidden folders with a history, and leftovers beside documents, that a copy does not get.
  var leftOut: [PackagePath] = []
  /// FIFOs, sockets and devices in a tree's origin, which no copy gets.
  package var leftAlone: [PackagePath] = []

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.isEmpty && (base == nil ? false : rootAttributes == nil) }
}

extension SavePlan: CustomStringConvertible {
  /// The steps as data, in order.
  ///
  /// The files of removed folders are counted on disk.
  package var listed: [PlannedStep] {
    guard base != nil else {
      return steps.map(\.listedInNew) + (leftAlone + leftOut).map { PlannedStep(.leaveOut, $0.string) }
    }
    return (rootAttributes == nil ? [] : [PlannedStep(.setAttributes, "")])
      + steps.map { step in
        var listed = step.listed
        countFiles(&listed, thatGoWith: step)
        return listed
      }
  }

  /// A line a step, such as `write Text.txt (512 B)` or `remove Images (a folder with 31 files)`.
  ///
  /// The files of removed folders are counted on disk.
  public var lines: [String] { listed.map(\.description) }

  private func countFiles(_ listed: inout PlannedStep, thatGoWith step: Step) {
    guard let base, step.replaced?.status?.kind == .directory else { return }
    switch step.action {
    case .makeDirectory, .setAttributes, .writeMetadata: return
    case .remove, .write, .reuse, .link: break
    }
    let folder = StoredNode(location: base, path: step.path)
    var count = 0
    do {
      try folder.forEachEntry(attributes: false) { if $0.kind != .directory { count += 1 } }
      listed.files = count
    } catch {
      let error = FilePackageError(any: error, .save, folder)
      listed.problem = error.reason ?? error.code.words
    }
  }

  /// The lines, one below the other.
  public var description: String {
    lines.joined(separator: "\n")
  }
}

extension SavePlan.Step {
  /// The step in a new document, which never reuses another document's files.
  fileprivate var listedInNew: PlannedStep {
    var listed = listed
    if listed.kind == .reuse { listed.kind = .copy }
    return listed
  }

  fileprivate var listed: PlannedStep {
    let place = path.string
    switch action {
    case .makeDirectory: return PlannedStep(.makeFolder, place)
    case .write(let contents): return PlannedStep(.write, place, size: contents.size)
    case .reuse(let source):
      var listed = PlannedStep(.reuse, place)
      if source.path != path { listed.source = source.path.string }
      return listed
    case .link: return PlannedStep(.link, place)
    case .setAttributes: return PlannedStep(.setAttributes, place)
    case .remove: return PlannedStep(.remove, place)
    case .writeMetadata: return PlannedStep(.write, place)
    }
  }
}

extension ByteProgress {
  /// - Parameter copiesFiles: whether reused files are copied.
  package func begin(_ plan: SavePlan, copiesFiles: Bool) {
    let total = plan.steps.reduce(UInt64(0)) { total, step in
      switch step.action {
      case .write(let contents): total &+ (contents.size ?? 0)
      case .reuse(let source) where copiesFiles: total &+ (source.status?.size ?? 0)
      default: total
      }
    }
    begin(total: total)
  }
}
