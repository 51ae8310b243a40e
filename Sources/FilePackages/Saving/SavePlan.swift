package import DurableIO

/// What a save must do, decided before anything on disk is touched.
///
/// Printing it says what `--dry-run` says: a line a step.
public struct SavePlan: Sendable {
  /// One thing to do at one place. The steps of a plan touch disjoint names.
  package struct Step: Sendable {
    package enum Action: Sendable {
      /// A new directory; what goes into it follows as steps of its own.
      case makeDirectory
      /// A regular file of these bytes.
      case write(FileContents)
      /// The regular file that is at `source` on disk, its bytes unchanged.
      case reuse(StoredNode)
      /// A symbolic link, or the one at a place on disk.
      case link(PackageSnapshot.Node)
      /// Other permissions or another date for a directory that stays.
      case setAttributes
      /// Whatever is there, with all that is in it.
      case remove
      /// `Metadata.plist`, completed with what all other steps amount to.
      case writeMetadata
    }

    package var path: PackagePath
    package var action: Action
    package var attributes: NodeAttributes
    /// What is on disk at that place, to be replaced or removed; nil where nothing is.
    package var replaced: Replaced?

    /// Whether it may make a regular file.
    var makesFile: Bool {
      switch action {
      case .write, .reuse: true
      default: false
      }
    }
  }

  /// What a step replaces or removes.
  package struct Replaced: Sendable {
    /// What it was when it was last looked at; anything else there by now is somebody's edit.
    package var status: FileStatus?
  }

  /// The package that stays as it is but for the steps; nil when the steps make all of it. A plan to make
  /// something that is no directory has one step, at the root.
  package var base: Location?
  /// The attributes of the package's own directory, where they are to be set.
  package var rootAttributes: NodeAttributes?
  package var steps: [Step] = []
  /// FIFOs, sockets and devices where a tree came from, which no copy gets.
  package var leftAlone: [PackagePath] = []

  /// Whether there is nothing to do.
  public var isEmpty: Bool { steps.isEmpty && (base == nil ? false : rootAttributes == nil) }
}

extension SavePlan: CustomStringConvertible {
  /// A line a step, such as `write Text.txt (512 B)` or `remove Images (a folder with 31 files)`. The files of folders
  /// that go are counted on disk.
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

  /// Everything in a folder that is no folder itself.
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
  /// The line of a step that makes something new, in which no file is that of another document.
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
