import Documents
import FilePackages
import Synchronization
import TestSupport
import Testing

@Suite("An access to a document")
struct AccessQueueTests {
  /// Notes in the order in which they were made.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    func note(_ line: String) { lines.withLock { $0.append(line) } }

    func wait(for line: String) async {
      while lines.withLock({ !$0.contains(line) }) { await Task.yield() }
    }

    var all: [String] { lines.withLock { $0 } }
  }

  /// Gives other tasks the chance to run.
  private static func yield() async {
    for _ in 0..<1000 { await Task.yield() }
  }

  @Test func `ends before that of a task which it began`() async throws {
    // The other task is on its own (A3), so that its access waits (A1).
    let (queue, log) = (AccessQueue(), Log())
    let other = try await withDeadline("an access that begins a task") {
      await queue.enqueue {
        let other = Task {
          let access = queue.enqueue { log.note("other") }
          log.note("asked")
          await access.value
        }
        await log.wait(for: "asked")
        await Self.yield()
        log.note("end")
        return other
      }.value
    }
    await other.value
    #expect(log.all == ["asked", "end", "other"])
  }

  @Test(arguments: [(false, false), (false, true), (true, false), (true, true)])
  func `that is a save is published if one of its callers waits for that`(_ first: Bool, _ second: Bool)
    async throws
  {
    // Both callers share the save that has not begun (A4).
    let (queue, log) = (AccessQueue(), Log())
    let before = queue.enqueue { await log.wait(for: "asked") }
    let saves = [first, second].map { isPublishing in
      queue.enqueueSave(isPublishing: isPublishing) { begins in
        log.note("published: \(begins())")
        return .success(SaveReport(strategy: .none))
      }
    }
    log.note("asked")
    await before.value
    for save in saves { _ = await save.value }
    #expect(log.all == ["asked", "published: \(first || second)"])
  }

  @Test func `has those of its child tasks as its parts, one after the other`() async throws {
    // The parts do not wait for the access (A3), and for each other they do (A1).
    let (queue, log) = (AccessQueue(), Log())
    try await withDeadline("an access with parts") {
      await queue.enqueue {
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<4 {
            group.addTask {
              await queue.enqueue {
                log.note("begin")
                await Self.yield()
                // A part of a part.
                await queue.enqueue { log.note("\(number)") }.value
                log.note("end")
              }.value
            }
          }
        }
      }.value
    }
    let lines = log.all
    #expect(lines.count == 12)
    for start in stride(from: 0, to: lines.count, by: 3) {
      #expect(lines[start] == "begin" && lines[start + 2] == "end", "\(lines)")
    }
  }
}
