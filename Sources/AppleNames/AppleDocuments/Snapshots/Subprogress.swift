import Foundation

/// A part of a larger progress, which a reader or a writer may report.
///
/// Counterpart of the type of that name in newer versions of Foundation. No user interface shows the progress here.
public struct Subprogress: ~Copyable, Sendable {
  /// Makes a part of no progress, also for tests.
  public init() {}

  /// Begins to report.
  public consuming func start(totalCount: Int?) -> ProgressManager { ProgressManager(totalCount: totalCount) }

  /// Begins to report.
  public consuming func reporter(totalCount: Int?) -> ProgressManager { start(totalCount: totalCount) }
}

// `@unchecked`: the counts are the only state, and `lock` guards them.
/// The steps of a task and the number of those that are done.
public final class ProgressManager: @unchecked Sendable {
  private let lock = NSLock()
  private var total: Int?
  private var completed = 0

  /// Makes a progress with a number of steps; nil if it is unknown.
  public init(totalCount: Int?) { total = totalCount }

  /// The number of steps; nil if it is unknown.
  public var totalCount: Int? { lock.withLock { total } }
  /// The number of steps that are done.
  public var completedCount: Int { lock.withLock { completed } }
  /// The part that is done, where 1 is all; 0 if the number of steps is unknown.
  public var fractionCompleted: Double {
    lock.withLock { total.map { $0 > 0 ? Double(completed) / Double($0) : 1 } ?? 0 }
  }

  /// Notes that more steps are done.
  public func complete(count: Int) { lock.withLock { completed += count } }

  /// Returns a part for another task. Its steps do not change `completedCount`.
  public func subprogress(assigningCount count: Int) -> Subprogress { Subprogress() }
}
