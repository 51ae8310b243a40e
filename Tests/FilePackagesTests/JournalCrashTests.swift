import DurableIO
import FilePackages
import FoundationEssentials
import SystemPackage
import TestSupport
import Testing

@Suite("A save in place that is cut short")
struct JournalCrashTests {
  static let saves = StagedCrashTests.saves

  enum Kind: String, CaseIterable {
    case all, noExchange, noExchangeNorKeep, noLinks, noneOfThem, coarseTimes
    var options: CrashDisk.Options {
      var options = CrashDisk.Options()
      if [.noExchange, .noExchangeNorKeep, .noneOfThem].contains(self) { options.supportsExchange = false }
      if [.noExchangeNorKeep, .noneOfThem].contains(self) { options.supportsKeep = false }
      if [.noLinks, .noneOfThem].contains(self) { options.supportsLinks = false }
      if self == .coarseTimes { options.timeGranularity = 4_000_000 }
      return options
    }
  }

  static func check(
    _ saves: [[Edit]], metadata: Bool, options: CrashDisk.Options = .init(), later: Bool = false,
    leavingOut: @escaping @Sendable (CrashDisk.SyncPoint) -> Bool = { _ in false }, limit: Int,
    stopsAtFirst: Bool = false, closes: Bool = true, together: Bool = false
  ) async throws -> JournalCrashCheck {
    var check = JournalCrashCheck()
    check.stopsAtFirst = stopsAtFirst
    let disk = try await CrashCheck.disk(
      StagedCrashTests.tree, metadata: metadata, options: options, leavingOut: leavingOut)
    disk.synchronizeAll()
    let store = try await PackageStore.open(CrashCheck.path, on: disk, journalCapacity: 24 << 10)
    // Each save in a check of its own over all that came before, or all of them in one.
    let groups = together ? [saves] : saves.map { [$0] }
    for (index, group) in groups.enumerated() {
      // What programs find after each save is known only when it was made, so the states are collected first on
      // the way and compared afterwards.
      var models = [try NaturalPicture(of: CrashCheck.path, on: disk)]
      let isLast = index == groups.count - 1
      var points: [CrashPoint] = []
      let before = disk.syncPoints.count
      points = try await CrashDisk.crashPoints(of: disk) {
        for edits in group {
          try await store.edit(edits)
          try await store.save(options: later ? .returnsAtCommit : [])
          disk.promise("saved")
          try await store.publish()
          models.append(try NaturalPicture(of: CrashCheck.path, on: disk))
        }
        if isLast && closes { try await store.close() }
      }
      check.syncPoints += disk.syncPoints[before...]
      for point in points.reversed() {
        for state in point.states(limit: limit) {
          if stopsAtFirst && !check.bad.isEmpty { return check }
          try await check.check(state.mount(), models, promised: point.promises.count) {
            "\(point), after \(point.promises.count)\n\(state)"
          }
        }
      }
    }
    return check
  }

  @Test(arguments: Kind.allCases, [true, false])
  func `leaves the old package or the new one`(kind: Kind, metadata: Bool) async throws {
    let check = try await Self.check(
      Self.saves, metadata: metadata, options: kind.options, limit: kind == .all ? 40 : 8)
    print(
      "saves in place (\(kind), \(metadata ? "with" : "without") metadata): \(check.states) crash states, "
        + "\(check.bad.count) bad")
    #expect(check.bad.isEmpty, "\(check.bad.prefix(3).joined(separator: "\n\n"))")
  }
}
