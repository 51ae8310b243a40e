/// The times at which a document saves by itself.
public struct AutosavePolicy: Sendable, Hashable {
  /// The time without edits after which the document saves.
  public var quietPeriod: Duration
  /// The longest time that an edit waits while the user keeps typing.
  public var ceiling: Duration
  /// The wait after a save that failed; each further failure doubles it.
  public var firstRetry: Duration
  /// The longest wait after saves that failed.
  public var longestRetry: Duration

  /// Makes a policy; by default two seconds of quiet, and at most half a minute.
  public init(
    quietPeriod: Duration = .seconds(2), ceiling: Duration = .seconds(30), firstRetry: Duration = .seconds(2),
    longestRetry: Duration = .seconds(300)
  ) {
    (self.quietPeriod, self.ceiling) = (quietPeriod, ceiling)
    (self.firstRetry, self.longestRetry) = (firstRetry, longestRetry)
  }
}

/// The time of the next autosave.
struct AutosaveSchedule: Sendable {
  let policy: AutosavePolicy
  private var firstEdit: Duration?
  private var lastEdit: Duration = .zero
  private var retry: (failures: Int, notBefore: Duration) = (0, .zero)

  init(_ policy: AutosavePolicy) { self.policy = policy }

  /// The due time; nil if the document has no edits since the last save began.
  var due: Duration? {
    guard let firstEdit else { return nil }
    return max(min(lastEdit + policy.quietPeriod, firstEdit + policy.ceiling), retry.notBefore)
  }

  mutating func edited(at now: Duration) {
    if firstEdit == nil { firstEdit = now }
    lastEdit = now
  }

  /// Notes that later edits are not in the save that begins.
  mutating func saveBegins() { firstEdit = nil }

  /// Notes that the user undid all unsaved edits.
  mutating func nothingToSave() { firstEdit = nil }

  mutating func saveEnds() { retry = (0, .zero) }

  mutating func saveFails(at now: Duration) {
    if firstEdit == nil { edited(at: now) }
    // At most 20 doublings, so that no duration overflows.
    let delay = min(policy.firstRetry * (1 << min(retry.failures, 20)), policy.longestRetry)
    retry = (retry.failures + 1, now + delay)
  }
}
