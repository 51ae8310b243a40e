public import FoundationEssentials
import PackageFormat

/// The result of comparing a package with its digests.
public struct VerificationReport: Sendable, Hashable, Codable {
  /// Whether the package has digests: packages of other programs have none.
  public var hasDigests = false
  /// Whether nothing is damaged, missing or unreadable.
  ///
  /// A document stays whole if another program edits its children or adds some.
  public var isWhole = true
  /// The number of files, links and folders read.
  public var children = 0
  /// The number of bytes read.
  public var bytes: UInt64 = 0
  /// A child that this user or this process cannot read.
  public struct Unreadable: Sendable, Hashable, Codable {
    /// The child.
    public var path: String
    /// The system's reason.
    public var reason: String

    package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }
  }

  /// A problem of the history, or of one file that only a version has.
  public struct VersionProblem: Sendable, Hashable, Codable {
    /// The kind of a problem.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// A part of the history is damaged, and the versions before it are lost.
      case lostVersions
      /// The history lacks versions, so that earlier ones cannot be put together. The hidden folder or a part of it is
      /// older than the document, or a save kept no version.
      case absent
      /// The file is not there.
      case missing
      /// The file has other bytes.
      case damaged
      /// The file's bytes cannot be read.
      case unreadable
    }

    /// The kind of the problem.
    public var kind: Kind
    /// The child; nil for a problem of the whole history.
    public var path: String?
    /// The version that needs the file; nil for a problem of the whole history.
    public var version: UUID?
    /// The system's reason, if there is one.
    public var reason: String?
    /// The generations of the absent versions, the first and the last one, if they are known.
    public var generations: ClosedRange<Int>?
  }

  /// A problem of the document's database.
  public struct DatabaseProblem: Sendable, Hashable, Codable {
    /// The kind of a problem.
    public enum Kind: String, Sendable, Codable, CaseIterable {
      /// SQLite finds its pages or an index damaged.
      case damaged
      /// Rows refer to rows that are not there.
      case foreignKeys
      /// The package and its database are from different saves.
      case otherSave
    }

    /// The kind of the problem.
    public var kind: Kind
    /// The problem in words.
    public var reason: String

    package init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }
  }

  /// The problems of the document's database.
  public var database: [DatabaseProblem] = []
  /// The children with other bytes than a save or an edit gave them, or that the device cannot read, as paths in byte
  /// order.
  ///
  /// The bytes of such a file differ from the saved ones and from those of its earlier versions, but its date is not
  /// later than the saved one.
  public var damaged: [String] = []
  /// The children that another program changed after their save, as paths in byte order.
  ///
  /// The date of their bytes is later than the saved one, or their mode or kind differs. In a copy of the package with
  /// new dates, damaged children are also here.
  public var changed: [String] = []
  /// The children that another program brought back to the bytes of an earlier version, as paths in byte order.
  ///
  /// The history knows these bytes, so the date of the file does not matter.
  public var earlier: [String] = []
  /// The children that this user, or this process, cannot read, so that their state is unknown.
  ///
  /// A folder stands for all its children.
  public var unreadable: [Unreadable] = []
  /// The missing children.
  public var missing: [String] = []
  /// The children that another program added.
  public var extra: [String] = []
  /// The added children that are perhaps conflict copies.
  public var possibleCopies: [PossibleCopy] = []
  /// Whether the package differs from the saved state by more than the named children.
  public var isUnexplained = false
  /// The problem with the log.
  public var log: String?
  /// The number of versions.
  public var versions = 0
  /// The problems of the history, and of files that only versions have.
  public var damagedVersions: [VersionProblem] = []

  package init() {}

  /// Whether every child is as it was saved, and no other program added one.
  public var isAsSaved: Bool { isWhole && changed.isEmpty && earlier.isEmpty && extra.isEmpty }
}

extension VerificationReport: CustomStringConvertible {
  /// A line for each problem, or one line that says that there is none.
  public var lines: [String] {
    var lines = damaged.map { "damaged: \(displayString($0))" }
    lines += unreadable.map { "could not be read: \(displayString($0.path)) (\($0.reason))" }
    lines += missing.map { "missing: \(displayString($0))" }
    lines += changed.map { "changed by another program: \(displayString($0))" }
    lines += earlier.map { "an earlier version of it: \(displayString($0))" }
    lines += extra.map { "added by another program: \(displayString($0))" }
    lines += possibleCopies.map(\.description)
    if isUnexplained {
      lines.append(
        "the children together do not have the digest of the save, and the log does not say which differ")
    }
    lines += database.map { "database: \(displayString($0.reason))" }
    if let log { lines.append("log: \(log)") }
    lines += damagedVersions.map { "versions: \($0)" }
    let size = "\(counted(children, "child", "children")), \(SaveReport.bytes(bytes))"
    if !hasDigests { return lines + ["nothing to compare with: the package has no digests (\(size) read)"] }
    let kept = versions == 0 ? "" : ", \(counted(versions, "version"))"
    return lines + [isWhole ? "whole: \(size)\(kept)" : "not whole: \(size)\(kept)"]
  }

  /// The lines as one text.
  public var description: String { lines.joined(separator: "\n") }
}

extension VerificationReport.VersionProblem: CustomStringConvertible {
  /// One line, such as `damaged: Text.txt of 1B4E28BA`.
  public var description: String {
    switch kind {
    case .lostVersions: return "a part of the history is damaged; the versions before it are lost"
    case .absent:
      let lack =
        switch generations {
        case let range? where range.count == 1: "lacks generation \(range.lowerBound)"
        case let range?: "lacks the generations \(range.lowerBound) to \(range.upperBound)"
        case nil: "does not lead to the present state"
        }
      return "the history \(lack); the versions before that are lost"
    case .missing, .damaged, .unreadable:
      let version = version.map { " of \($0.uuidString.prefix(8))" } ?? ""
      let reason = reason.map { ": \($0)" } ?? ""
      return "\(kind.rawValue): \(displayString(path ?? ""))\(version)\(reason)"
    }
  }
}
