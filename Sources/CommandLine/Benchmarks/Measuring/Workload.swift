import DurableIO

/// A way to do some work, measured in turn with other ways.
protocol Workload: AnyObject {
  /// The disk that counts requests; nil if the work makes its own system calls.
  var disk: CountingDisk? { get }
  /// The number of syncs of the last run before it returned; nil if all work is done then, so that the disk's own
  /// count holds.
  var flushes: Int? { get }
  /// Further figures of the work so far, such as the number of its threads.
  var figures: [String: Double] { get }

  /// Prepares a run. Not measured.
  func arrange() async throws
  /// Does the work. Measured.
  func run() async throws
  /// Finishes work that the run left for later. Not measured.
  func finish() async throws
  /// Compares every byte of the result with the expected one, after the last run.
  ///
  /// - Throws: `WrongContents` if they differ.
  func verify() async throws
}

extension Workload {
  var disk: CountingDisk? { nil }
  var flushes: Int? { nil }
  var figures: [String: Double] { [:] }

  func arrange() async throws {}
  func finish() async throws {}
}

/// A difference between the result of the work and the expected one.
package struct WrongContents: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) {
    self.description = description
  }
}
