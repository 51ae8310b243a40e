import Glibc
import Synchronization

/// A program that reads commands and prints results, line by line, as a process of its own.
package final class TalkingProgram: Sendable {
  private struct State {
    var lines: [String] = []
    var rest: [UInt8] = []
    var hasEnded = false
    /// The number of pieces of output.
    var count = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  /// The state, which the thread that reads the output holds, too.
  private final class Output: Sendable {
    let state = Mutex(State())

    func take(_ bytes: [UInt8]) {
      let waiting = state.withLock { state in
        state.hasEnded = bytes.isEmpty
        state.count += 1
        state.rest += bytes
        while let end = state.rest.firstIndex(of: 10) {
          state.lines.append(String(decoding: state.rest[..<end], as: UTF8.self))
          state.rest.removeSubrange(...end)
        }
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume() }
    }
  }

  private let output = Output()
  private let program: RunningProgram

  package init(_ program: Program, _ arguments: [String] = [], environment: [String: String] = [:]) throws {
    self.program = try program.start(arguments, input: .lines, environment: environment) { [output] in
      output.take($0)
    }
  }

  package var number: Int32 { program.number }

  package func send(_ line: String) { program.say(line) }

  /// The lines that it has printed so far.
  package var lines: [String] { output.state.withLock { $0.lines } }
  package var hasEnded: Bool { output.state.withLock { $0.hasEnded } }

  /// Forgets the printed lines for which `isOld` returns true.
  package func forget(_ isOld: (String) -> Bool) {
    output.state.withLock { $0.lines.removeAll(where: isOld) }
  }

  /// Waits until `find` finds something among the lines.
  package func expect<Result: Sendable>(
    _ awaited: String, _ find: @escaping @Sendable ([String]) -> Result?
  ) async throws -> Result {
    try await withDeadline(awaited) { [self] in
      while true {
        let seen = output.state.withLock { $0.count }
        if let result = find(lines) { return result }
        if hasEnded { throw try ended(before: awaited) }
        await more(than: seen)
      }
    }
  }

  /// The error of a process that ended although nothing killed it.
  private struct Ended: Error, CustomStringConvertible { var description: String }

  private func ended(before awaited: String) throws -> Ended {
    let run = try program.wait()
    return Ended(
      description: """
        process \(number) ended before '\(awaited)': status \(run.status), signal \(run.signal ?? 0), \
        errors '\(run.errors)', last lines \(lines.suffix(8))
        """)
  }

  /// Waits until it has printed more than `seen` pieces of output.
  private func more(than seen: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = output.state.withLock { state in
        if state.count > seen { return true }
        state.waiting.append(continuation)
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  package func signal(_ signal: Int32) { program.signal(signal) }

  /// Waits until it has ended.
  @discardableResult
  package func waitForEnd() async throws -> Run {
    try await withDeadline("the end of a process") { [self] in
      while !hasEnded { await more(than: output.state.withLock { $0.hasEnded ? -1 : $0.count }) }
    }
    return try program.wait()
  }

  /// Kills it, and waits for its end.
  package func kill() async throws {
    signal(SIGKILL)
    try await waitForEnd()
  }
}
