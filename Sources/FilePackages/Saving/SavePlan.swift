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
  /// A line a step, such as `write Text.txt (512 bytes)`.
  public var lines: [String] {
    guard base != nil else {
      return steps.map(\.lineOfNew) + leftAlone.map { "leave out \($0.display)" }
    }
    return (rootAttributes == nil ? [] : ["set attributes of the document's folder"])
      + steps.map(\.description)
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
    case .write(let contents): return "write \(place)" + (contents.size.map { " (\($0) bytes)" } ?? "")
    case .reuse(let source):
      return source.path == path ? "reuse \(place)" : "reuse \(source.path.display) as \(place)"
    case .link: return "link \(place)"
    case .setAttributes: return "set attributes of \(place)"
    case .remove: return "remove \(place)"
    case .writeMetadata: return "write \(place)"
    }
  }
}
