/// The times at which a document saves by itself.
public struct AutosavePolicy: Sendable, Hashable {
  /// The time without edits after which the document saves.
  public var quietPeriod: Duration
  /// The longest time that an edit stays unsaved while other edits follow.
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
