import DurableIO
package import FileTrees
import FoundationEssentials
package import PackageFormat

/// The contents of a package's log.
public struct RecoveryReport: Sendable, Hashable, Codable {
  /// The state of a log.
  public enum Log: String, Sendable, Codable {
    /// There is none, or it has no record: no save was made in place, or the package has no metadata and was closed in
    /// good order.
    case none
    /// Every save in it is published.
    case published
    /// A save in it is committed and not published yet.
    case waiting
    /// An acknowledged save in it cannot be read.
    case damaged
  }

  /// One change of a committed save that was dropped, because the file system refuses it.
  public struct Discarded: Sendable, Hashable, Codable {
    /// The change.
    public var operation: PlannedStep
    /// The system's reason.
    public var reason: String
    /// The file or folder that holds the new bytes, as a path in the package; nil if the change has no new bytes.
    public var kept: String?
  }

  /// The state of the log.
  public var log: Log
  /// The operations of the committed save that waits.
  public var operations: [PlannedStep] = []
  /// The operations that `discardUnpublishable(at:)` dropped.
  public var discarded: [Discarded] = []
  /// The problem with the log.
  public var problem: String?
  /// The leftovers in the hidden folder and beside the package, which `removeLeftovers(at:)` removes.
  public var leftovers: [String] = []
}

extension RecoveryReport: CustomStringConvertible {
  /// A line for the log, and one for each operation that waits.
  public var description: String {
    let first =
      switch log {
      case .none: "nothing to recover"
      case .published: "nothing to recover: everything in the log is published"
      case .waiting: "a save waits to be published: \(counted(operations.count, "operation"))"
      case .damaged: "the log is damaged"
      }
    return
      ([first + (problem.map { ": \($0)" } ?? "")] + operations.map(\.description)
      + leftovers.map { "leftover of a killed program: \($0)" })
      .joined(separator: "\n")
  }
}

extension RecoveryReport {
  /// Reads the log of the package at `node`, and lists the leftovers.
  package init(of node: StoredNode) throws(FilePackageError) {
    self = try Self.logReport(node)
    leftovers = Leftovers(location: node.location).found
  }

  private static func logReport(_ node: StoredNode) throws(FilePackageError) -> RecoveryReport {
    return try node.attempt(.open, "looking for its log") {
      switch try SaveLog.find(of: node.location) {
      case .nothing: return RecoveryReport(log: .none)
      case .damaged(let reason, _): return RecoveryReport(log: .damaged, problem: reason)
      case .log(let log):
        guard let record = log.live else {
          return RecoveryReport(log: log.hasRecords ? .published : .none)
        }
        return RecoveryReport(log: .waiting, operations: record.changes.rows.flatMap(\.plannedSteps))
      }
    }
  }
}

extension Change {
  /// Its steps for a report.
  var plannedSteps: [PlannedStep] {
    let isLink = new?.kind == .symbolicLink
    return steps.map { step in
      let kind: PlannedStep.Kind =
        switch step {
        case .put: isLink ? .link : .write
        case .remove, .removeFolder: .remove
        case .makeFolder: .makeFolder
        case .setAttributes: .setAttributes
        }
      return PlannedStep(kind, path.string, size: kind == .write ? new?.size : nil)
    }
  }
}

extension RecoveryReport.Discarded: CustomStringConvertible {
  /// One line, such as `dropped: remove Text.txt: operation not permitted`.
  public var description: String {
    "dropped: \(operation): \(reason)" + (kept.map { "; its bytes are in '\(displayString($0))'" } ?? "")
  }
}
