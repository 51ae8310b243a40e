package import DurableIO

/// The steps of a save, decided before it touches anything on disk.
///
/// Its description is the output of `--dry-run`: a line a step.
public struct SavePlan: Sendable {
  /// One change at one place. The steps of a plan touch disjoint names.
  package struct Step: Sendable {
    package enum Action: Sendable {
      /// Makes a directory; its children follow as steps of their own.
      case makeDirectory
      /// Makes a regular file of these bytes.
      case write(FileContents)
      /// Takes the regular file at `source` on disk, its bytes unchanged.
      case reuse(StoredNode)
      /// Makes a symbolic link, or takes the one at a place on disk.
      case link(PackageSnapshot.Node)
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
  }

  /// The package that stays except for the steps; nil if the steps make all of it. The plan of a document that is no
  /// directory has one step, at the root.
  package var base: Location?
  /// The new attributes of the package's own directory; nil if they stay.
  package var rootAttributes: NodeAttributes?
  package var steps: [Step] = []
  /// FIFOs, sockets and devices in a tree's origin, which no copy gets.
  package var leftAlone: [PackagePath] = []

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.isEmpty && (base == nil ? false : rootAttributes == nil) }
}

extension SavePlan: CustomStringConvertible {
  /// A line a step, such as `write Text.txt (512 B)` or `remove Images (a folder with 31 files)`.
  ///
  /// The files of folders that go are counted on disk.
  public var lines: [String] {
    guard base != nil else {
      return steps.map(\.lineOfNew) + leftAlone.map { "leave out \($0.display)" }
    }
    return (rootAttributes == nil ? [] : ["set attributes of the document's folder"])
      + steps.map { $0.description + folderThatGoes($0) }
  }

  private func folderThatGoes(_ step: Step) -> String {
    guard let base, step.replaced?.status?.kind == .directory else { return "" }
    let folder: String
    do {
      let files = try Self.fileCount(of: base.openDirectory(step.path), on: base.disk)
      folder = "a folder with \(counted(files, "file"))"
    } catch {
      folder = "a folder that cannot be searched: \(error.reason)"
    }
    switch step.action {
    case .remove: return " (\(folder))"
    case .write, .reuse, .link: return " in place of \(folder)"
    case .makeDirectory, .setAttributes, .writeMetadata: return ""
    }
  }

  /// Counts the nodes in a folder that are no folders themselves.
  private static func fileCount(
    of folder: borrowing OwnedDescriptor, on disk: any Disk
  ) throws(SystemError) -> Int {
    let listing = try disk.list(folder)
    var count = 0
    for position in 0..<listing.count {
      if listing.kind(at: position) == .directory {
        count += try fileCount(of: disk.openDirectory(listing.name(at: position), in: folder), on: disk)
      } else {
        count += 1
      }
    }
    return count
  }

  /// The lines, one below the other.
  public var description: String {
    lines.joined(separator: "\n")
  }
}

extension SavePlan.Step: CustomStringConvertible {
  /// The line of a step in a new document, which never reuses another document's files.
  fileprivate var lineOfNew: String {
    guard case .reuse(let source) = action else { return description }
    return source.path == path ? "copy \(path.display)" : "copy \(source.path.display) as \(path.display)"
  }

  package var description: String {
    let place = path.display
    switch action {
    case .makeDirectory: return "make folder \(place)"
    case .write(let contents):
      return "write \(place)" + (contents.size.map { " (\(SaveReport.bytes($0)))" } ?? "")
    case .reuse(let source):
      return source.path == path ? "reuse \(place)" : "reuse \(source.path.display) as \(place)"
    case .link: return "link \(place)"
    case .setAttributes: return "set attributes of \(place)"
    case .remove: return "remove \(place)"
    case .writeMetadata: return "write \(place)"
    }
  }
}
