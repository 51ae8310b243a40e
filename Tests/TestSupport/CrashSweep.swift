import Glibc
package import Testing

/// The states that power cuts leave: how many a test opened, and what was wrong with them.
package struct CrashSweep: Sendable {
  package private(set) var states = 0
  package private(set) var bad: [String] = []

  package init() {}

  /// Opens states, and notes the problem that `problem` returns or throws.
  ///
  /// - Parameters:
  ///   - stride: it opens one of so many states.
  ///   - most: it stops after more problems than these.
  ///   - key: states with equal keys and the same promises are opened once.
  package mutating func check(
    _ points: some Sequence<CrashPoint>, limit: Int, oneOf stride: Int = 1, most: Int = 2,
    key: ((CrashDisk) throws -> AnyHashable)? = nil,
    _ problem: (CrashDisk, CrashPoint) async throws -> String?
  ) async throws {
    var seen: Set<[AnyHashable]> = []
    var sample = CaseSample(oneOf: stride)
    for point in points {
      for state in point.states(limit: limit) where sample.isNext() {
        let mounted = state.mount()
        if let key, try !seen.insert([key(mounted), point.promises.count]).inserted { continue }
        states += 1
        do {
          if let found = try await problem(mounted, point) { bad.append("\(point)\n\(state)\n\(found)") }
        } catch {
          bad.append("\(point)\n\(state)\n\(error)")
        }
        if bad.count > most { return }
      }
    }
  }

  package func expectNoneBad(moreThan least: Int = 0, at location: SourceLocation = #_sourceLocation) {
    #expect(states > least, sourceLocation: location)
    #expect(bad.isEmpty, "\(bad.prefix(2).joined(separator: "\n\n"))", sourceLocation: location)
  }
}

/// The choice of the tested cases of one kind: all with `ALL_CRASH_POINTS`, as `Tests/long/run crash-points` sets it.
///
/// Otherwise it is a sample, the same each time.
package struct CaseSample {
  private let stride: Int
  private var count = 0

  package init(oneOf stride: Int) {
    self.stride = getenv("ALL_CRASH_POINTS") == nil ? stride : 1
  }

  package mutating func isNext() -> Bool {
    defer { count += 1 }
    return count % stride == 0
  }
}
