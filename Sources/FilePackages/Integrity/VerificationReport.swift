/// What comparing a package with its digests found.
public struct VerificationReport: Sendable, Hashable, Codable {
  /// Whether there was anything to compare with: packages of other programs have no digests.
  public var hasDigests = false
  /// Whether every child is there and what it was when it was saved, and nothing else is.
  public var isWhole = true
  /// Files, links and folders read.
  public var children = 0
  /// Bytes read.
  public var bytes: UInt64 = 0
  /// A child of which the system gives no bytes.
  public struct Unreadable: Sendable, Hashable, Codable {
    /// The child.
    public var path: String
    /// The system's reason.
    public var reason: String
  }

  /// Children that are not what was saved, or that the device cannot read, as paths in byte order.
  public var damaged: [String] = []
  /// Children that this user, or this process, cannot read: nobody knows whether they are what was saved. A folder stands for
  /// all that is in it.
  public var unreadable: [Unreadable] = []
  /// Children that are not there.
  public var missing: [String] = []
  /// Children that no save put there.
  public var extra: [String] = []
  /// Whether the whole differs from what was saved and not all of that can be laid to named children.
  public var isUnexplained = false
  /// What is wrong with the journal.
  public var journal: String?
  /// How many versions are kept.
  public var versions = 0
  /// What is wrong with them, a line a child: what only a version has and is not what was kept.
  public var damagedVersions: [String] = []

  init() {}
}

extension VerificationReport: CustomStringConvertible {
  /// A line for each problem, or one that says that there is none.
  public var lines: [String] {
    var lines = damaged.map { "damaged: \(displayString($0))" }
    lines += unreadable.map { "could not be read: \(displayString($0.path)) (\($0.reason))" }
    lines += missing.map { "missing: \(displayString($0))" }
    lines += extra.map { "not saved by us: \(displayString($0))" }
    if isUnexplained { lines.append("the children together are not what was saved") }
    if let journal { lines.append("journal: \(journal)") }
    lines += damagedVersions.map { "versions: \($0)" }
    let size = "\(counted(children, "child", "children")), \(SaveReport.bytes(bytes))"
    if !hasDigests { return lines + ["nothing to compare with: the package has no digests (\(size) read)"] }
    let kept = versions == 0 ? "" : ", \(counted(versions, "version"))"
    return lines + [isWhole ? "whole: \(size)\(kept)" : "not whole: \(size)\(kept)"]
  }

  /// The lines, one below the other.
  public var description: String { lines.joined(separator: "\n") }
}
