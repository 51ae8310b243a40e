public import FoundationEssentials
import PackageFormat

/// One step of a plan, or of a save that waits.
///
/// The command line prints it as a line for people, or as JSON with sizes in bytes.
public struct PlannedStep: Sendable, Hashable, Codable {
  /// The kind of a step.
  public enum Kind: String, Sendable, Codable {
    /// A step for a file, for a link, or for a folder with all in it.
    case write, copy, reuse, link, remove, add, restore
    /// A new folder.
    case makeFolder = "make folder"
    /// Other permissions, and nothing else.
    case setAttributes = "set attributes of"
    /// A child that the result does not have.
    case leaveOut = "leave out"
  }

  /// The kind of the step.
  public var kind: Kind
  /// The child's path, spelled without loss; empty for the document's folder.
  public var path: String
  /// The path of the file that the step copies or reuses, if it is another one.
  public var source: String?
  /// The bytes of the file that the step writes, if they are known.
  public var size: UInt64?
  /// The number of files in the folder that the step removes or replaces.
  public var files: Int?
  /// The reason why these files cannot be counted.
  public var problem: String?

  /// The version that the step restores.
  public var version: UUID?

  package init(_ kind: Kind, _ path: String, size: UInt64? = nil) {
    (self.kind, self.path, self.size) = (kind, path, size)
  }

  /// Makes the step that restores the document at `path` from a version.
  package init(restoring version: UUID, _ path: String) {
    (kind, self.path, self.version) = (.restore, path, version)
  }
}

extension PlannedStep: CustomStringConvertible {
  /// A line such as `write Text.txt (512 B)` or `remove Images (a folder with 31 files)`.
  public var description: String {
    let place = version?.uuidString ?? (path.isEmpty ? "the document's folder" : displayString(path))
    let line = "\(kind.rawValue) " + (source.map { "\(displayString($0)) as " } ?? "") + place
    let bytes = size.map { " (\(SaveReport.bytes($0)))" } ?? ""
    let folder =
      files.map { "a folder with \(counted($0, "file"))" }
      ?? problem.map { "a folder that cannot be searched: \($0)" }
    guard let folder else { return line + bytes }
    return line + bytes + (kind == .remove ? " (\(folder))" : " in place of \(folder)")
  }
}
