public import FoundationEssentials

/// The rule for the versions that a document keeps.
///
/// The last version of each hour, day and week stays. Hours, days and weeks are those of UTC, so that thinning again
/// drops no more versions. The most recent version and the versions that a caller added always stay.
public struct RetentionPolicy: Sendable, Hashable {
  /// The time in seconds for which every version is kept.
  public var keepsAll: TimeInterval = 3600
  /// The time in seconds for which one version of each hour is kept.
  public var keepsHourly: TimeInterval = 86_400
  /// The time in seconds for which one version of each day is kept; older ones are kept weekly.
  public var keepsDaily: TimeInterval = 30 * 86_400
  /// The maximum bytes of kept children; beyond it, the oldest versions are dropped.
  public var byteBudget: UInt64 = 1 << 30

  /// Everything for an hour, hourly for a day, daily for 30 days, weekly after; at most 1 GiB.
  public static let standard = RetentionPolicy()

  /// Makes the standard policy.
  public init() {}

  /// Returns the versions to drop for their age; expects the oldest first.
  package func outdated(of versions: [VersionRecord], now: Date) -> Set<UUID> {
    var outdated: Set<UUID> = []
    var last: [Bucket: UUID] = [:]
    for version in versions.dropLast() where version.isDiscardable {
      guard let bucket = bucket(version.metadata.modificationDate, now: now) else { continue }
      if let earlier = last.updateValue(version.revision, forKey: bucket) { outdated.insert(earlier) }
    }
    return outdated
  }

  /// Returns the versions to drop for their bytes; expects the oldest first.
  package func beyondBudget(of versions: [VersionRecord]) -> Set<UUID> {
    var beyond: Set<UUID> = []
    var bytes = versions.reduce(UInt64(0)) { $0 &+ $1.keptBytes }
    for version in versions.dropLast() where version.isDiscardable && bytes > byteBudget {
      beyond.insert(version.revision)
      bytes -= min(bytes, version.keptBytes)
    }
    return beyond
  }

  private struct Bucket: Hashable {
    var length: Int
    var number: Int
  }

  /// Returns nil for a version that is always kept.
  private func bucket(_ date: Date, now: Date) -> Bucket? {
    let age = now.timeIntervalSince(date)
    if age < keepsAll { return nil }
    let length = age < keepsHourly ? 3600 : age < keepsDaily ? 86_400 : 7 * 86_400
    let seconds = max(-1e15, min(1e15, date.timeIntervalSince1970))
    return Bucket(length: length, number: Int((seconds / Double(length)).rounded(.down)))
  }
}

extension RetentionPolicy {
  package static let encodedLength = 4 * 8

  package func encode(to writer: inout ByteWriter) {
    for seconds in [keepsAll, keepsHourly, keepsDaily] {
      writer.write(UInt64(max(0, min(1e15, seconds.isNaN ? 0 : seconds))))
    }
    writer.write(byteBudget)
  }

  package init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    func seconds(_ number: UInt64) -> TimeInterval { min(1e15, TimeInterval(number)) }
    keepsAll = seconds(try reader.read())
    keepsHourly = seconds(try reader.read())
    keepsDaily = seconds(try reader.read())
    byteBudget = try reader.read()
  }
}
