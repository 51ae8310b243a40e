import Documents
import TestSupport
import Testing

@Suite("An access to a document")
struct AccessQueueTests {
  /// Gives other tasks the chance to run.
  private static func yield() async {
    for _ in 0..<1000 { await Task.yield() }
  }

  @Test func `ends before that of a task which it began`() async throws {
    // The other task is on its own (A3), so that its access waits (A1).
    let (queue, log) = (AccessQueue(), NoteList<String>())
    let other = try await withDeadline("an access that begins a task") {
      await queue.enqueue {
        let other = Task {
          let access = queue.enqueue { log.add("other") }
          log.add("asked")
          await access.value
        }
        await log.wait(for: "asked")
        await Self.yield()
        log.add("end")
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
    let (queue, log) = (AccessQueue(), NoteList<String>())
    let before = queue.enqueue { await log.wait(for: "asked") }
    let saves = [first, second].map { isPublishing in
      queue.enqueueSave(isPublishing: isPublishing) { begins in
        log.add("published: \(begins())")
        return .success(SaveReport(strategy: .none))
      }
    }
    log.add("asked")
    await before.value
    for save in saves { _ = await save.value }
    #expect(log.all == ["asked", "published: \(first || second)"])
  }

  @Test func `has those of its child tasks as its parts, one after the other`() async throws {
    // The parts do not wait for the access (A3), and for each other they do (A1).
    let (queue, log) = (AccessQueue(), NoteList<String>())
    try await withDeadline("an access with parts") {
      await queue.enqueue {
        await withTaskGroup(of: Void.self) { group in
          for number in 0..<4 {
            group.addTask {
              await queue.enqueue {
                log.add("begin")
                await Self.yield()
                // A part of a part.
                await queue.enqueue { log.add("\(number)") }.value
                log.add("end")
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

extension NoteList<String> {
  fileprivate func wait(for line: String) async { while !all.contains(line) { await Task.yield() } }
}
