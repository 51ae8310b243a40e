public import FoundationEssentials

/// Which versions of a document are kept.
///
/// Of each hour, day and week one stays, the last; hours, days and weeks are those of UTC, so that thinning again drops
/// nothing more. The most recent version and those that were added by hand always stay.
public struct RetentionPolicy: Sendable, Hashable {
  /// For how many seconds every version is kept.
  public var keepsAll: TimeInterval = 3600
  /// For how many seconds one of each hour is kept.
  public var keepsHourly: TimeInterval = 86_400
  /// For how many seconds one of each day is kept; after that, one of each week.
  public var keepsDaily: TimeInterval = 30 * 86_400
  /// Beyond so many bytes of kept children the oldest versions go.
  public var byteBudget: UInt64 = 1 << 30

  /// Everything for an hour, hourly for a day, daily for 30 days, weekly after; at most 1 GiB.
  public static let standard = RetentionPolicy()

  /// Makes the standard policy, to be changed.
  public init() {}

  /// What a version is to the policy.
  struct Candidate {
    var revision: UUID
    var date: Date
    var bytes: UInt64
    var isDiscardable: Bool
  }

  /// The versions that go for their age, of these, the oldest first.
  func outdated(of versions: [Candidate], now: Date) -> Set<UUID> {
    var outdated: Set<UUID> = []
    var last: [Bucket: UUID] = [:]
    for version in versions.dropLast() where version.isDiscardable {
      guard let bucket = bucket(version.date, now: now) else { continue }
      if let earlier = last.updateValue(version.revision, forKey: bucket) { outdated.insert(earlier) }
    }
    return outdated
  }

  /// The versions that go for their bytes, of these, the oldest first.
  func beyondBudget(of versions: [Candidate]) -> Set<UUID> {
    var beyond: Set<UUID> = []
    var bytes = versions.reduce(UInt64(0)) { $0 &+ $1.bytes }
    for version in versions.dropLast() where version.isDiscardable && bytes > byteBudget {
      beyond.insert(version.revision)
      bytes -= min(bytes, version.bytes)
    }
    return beyond
  }

  private struct Bucket: Hashable {
    var length: Int
    var number: Int
  }

  /// Nil for a version that is kept whatever else there is.
  private func bucket(_ date: Date, now: Date) -> Bucket? {
    let age = now.timeIntervalSince(date)
    if age < keepsAll { return nil }
    let length = age < keepsHourly ? 3600 : age < keepsDaily ? 86_400 : 7 * 86_400
    let seconds = max(-1e15, min(1e15, date.timeIntervalSince1970))
    return Bucket(length: length, number: Int((seconds / Double(length)).rounded(.down)))
  }
}

extension RetentionPolicy {
  static let encodedLength = 4 * 8

  func encode(to writer: inout ByteWriter) {
    for seconds in [keepsAll, keepsHourly, keepsDaily] {
      writer.write(UInt64(max(0, min(1e15, seconds.isNaN ? 0 : seconds))))
    }
    writer.write(byteBudget)
  }

  init(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    func seconds(_ number: UInt64) -> TimeInterval { min(1e15, TimeInterval(number)) }
    keepsAll = seconds(try reader.read())
    keepsHourly = seconds(try reader.read())
    keepsDaily = seconds(try reader.read())
    byteBudget = try reader.read()
  }
}
