/// When a document saves by itself.
public struct AutosavePolicy: Sendable, Hashable {
  /// How long nothing has to be edited before it saves.
  public var quietPeriod: Duration
  /// How long an edit waits at most while the user keeps typing.
  public var ceiling: Duration
  /// How long it waits after a save that failed; twice as long after each further one.
  public var firstRetry: Duration
  /// How long it waits at most after saves that failed.
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

/// When the next autosave is due.
struct AutosaveSchedule: Sendable {
  let policy: AutosavePolicy
  private var firstEdit: Duration?
  private var lastEdit: Duration = .zero
  private var retry: (failures: Int, notBefore: Duration) = (0, .zero)

  init(_ policy: AutosavePolicy) { self.policy = policy }

  /// Nil when nothing was edited since the last save began.
  var due: Duration? {
    guard let firstEdit else { return nil }
    return max(min(lastEdit + policy.quietPeriod, firstEdit + policy.ceiling), retry.notBefore)
  }

  mutating func edited(at now: Duration) {
    if firstEdit == nil { firstEdit = now }
    lastEdit = now
  }

  /// What is edited from now on is not in the save that begins.
  mutating func saveBegins() { firstEdit = nil }

  /// What was edited was undone.
  mutating func nothingToSave() { firstEdit = nil }

  mutating func saveEnds() { retry = (0, .zero) }

  mutating func saveFails(at now: Duration) {
    if firstEdit == nil { edited(at: now) }
    // Doubled at most so often that no duration overflows.
    let delay = min(policy.firstRetry * (1 << min(retry.failures, 20)), policy.longestRetry)
    retry = (retry.failures + 1, now + delay)
  }
}
