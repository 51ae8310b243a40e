import DurableIO

/// One way of doing some work, measured in turn with others.
protocol Contender: AnyObject {
  /// The disk whose requests are counted; nil where the work makes its own system calls.
  var disk: CountingDisk? { get }
  /// How often the last run asked the disk to keep something before it returned; nil where nothing is left to be done
  /// then, so that the disk's own count says it.
  var flushes: Int? { get }
  /// What else there is to say of the work as it is by now, such as the threads that it needs.
  var figures: [String: Double] { get }

  /// Brings in what is no part of the work. Not measured.
  func arrange() async throws
  /// Does the work. Measured.
  func run() async throws
  /// Waits for what the work left to be done after it returned. Not measured.
  func finish() async throws
  /// Compares what there is with what there should be, every byte, after the last run.
  ///
  /// - Throws: `WrongContents` when they differ.
  func verify() async throws
}

extension Contender {
  var disk: CountingDisk? { nil }
  var flushes: Int? { nil }
  var figures: [String: Double] { [:] }

  func arrange() async throws {}
  func finish() async throws {}
}

/// Why something cannot be measured here.
package struct StrategyUnavailable: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) {
    self.description = description
  }
}

/// What work left behind that is not what it should be.
package struct WrongContents: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) {
    self.description = description
  }
}
