/// The publishing of saves that waits for its time, or runs.
struct PublishingSchedule {
  /// The time for which a save waits to be published, so that the next saves can supersede it.
  static let delay = Duration.milliseconds(20)

  /// Whether there is a save that no publishing has begun with.
  var isDue = false
  /// Whether the last one failed.
  var hasFailed = false
  /// Publishes as long as something is due.
  var task: Task<Void, Never>?
  /// Ends at the time of the next publishing.
  var wait: Task<Void, Never>?
}
