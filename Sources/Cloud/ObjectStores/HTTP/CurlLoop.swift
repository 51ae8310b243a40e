import CCurl
import FilePackages
import Synchronization

/// The thread of a client. It exists while there are requests, and libcurl runs all of them on it.
actor CurlLoop {
  /// A request on its way to the thread.
  private struct Job {
    let number: Int
    let order: CurlOrder
    let continuation: CheckedContinuation<Result<HTTPResponse, HTTPFailure>, Never>
  }

  private struct Inbox {
    var lastNumber = 0
    var isRunning = false
    var jobs: [Job] = []
    /// The numbers of requests whose tasks were cancelled.
    var cancelled: [Int] = []
  }

  private nonisolated let executor = BlockingExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private nonisolated let multi: CurlMulti
  private nonisolated let inbox = Mutex(Inbox())

  /// - Parameter connections: the number of connections that stay open.
  init(connections: Int) { multi = CurlMulti(connections: connections) }

  /// Sends a request, and waits for its answer. The request ends at once if the task is cancelled.
  nonisolated func send(_ order: CurlOrder) async throws(HTTPFailure) -> HTTPResponse {
    let number = inbox.withLock { inbox in
      inbox.lastNumber += 1
      return inbox.lastNumber
    }
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        add(Job(number: number, order: order, continuation: continuation))
      }
    } onCancel: {
      inbox.withLock { inbox in
        guard inbox.isRunning else { return }
        inbox.cancelled.append(number)
        multi.wake()
      }
    }
    return try outcome.get()
  }

  private nonisolated func add(_ job: Job) {
    let isCancelled = inbox.withLock { inbox in
      // A cancellation after this look finds the job.
      if Task.isCancelled { return true }
      inbox.jobs.append(job)
      if inbox.isRunning {
        multi.wake()
      } else {
        inbox.isRunning = true
        Task { await run() }
      }
      return false
    }
    if isCancelled { job.continuation.resume(returning: .failure(.cancelled)) }
  }

  private func run() {
    var transfers: [Int: (transfer: CurlTransfer, job: Job)] = [:]
    func end(_ number: Int, _ outcome: (CurlTransfer) -> Result<HTTPResponse, HTTPFailure>) {
      guard let (transfer, job) = transfers.removeValue(forKey: number) else { return }
      let outcome = outcome(transfer)
      multi.remove(transfer.easy)
      job.continuation.resume(returning: outcome)
    }
    func begin(_ transfer: CurlTransfer, _ job: Job) {
      transfers[job.number] = (transfer, job)
      do throws(HTTPFailure) {
        try transfer.prepare(job.number)
        try multi.add(transfer.easy)
      } catch {
        end(job.number) { _ in .failure(error) }
      }
    }
    while let (jobs, cancelled) = takeInbox(mayEnd: transfers.isEmpty) {
      for job in jobs { begin(CurlTransfer(job.order), job) }
      for number in cancelled { end(number) { _ in .failure(.cancelled) } }
      do throws(HTTPFailure) {
        try multi.perform()
        while let (number, code) = multi.takeEnded() {
          if let (transfer, job) = transfers[number], let next = transfer.repetition(after: code) {
            multi.remove(transfer.easy)
            begin(next, job)
          } else {
            end(number) { $0.outcome(code) }
          }
        }
        if !transfers.isEmpty { try multi.wait() }
      } catch {
        for number in Array(transfers.keys) { end(number) { _ in .failure(error) } }
      }
    }
  }

  /// Returns the new requests and cancellations; nil if there is nothing more to do, and then `run` has ended.
  private func takeInbox(mayEnd: Bool) -> (jobs: [Job], cancelled: [Int])? {
    inbox.withLock { inbox in
      if mayEnd && inbox.jobs.isEmpty {
        (inbox.isRunning, inbox.cancelled) = (false, [])
        return nil
      }
      defer { (inbox.jobs, inbox.cancelled) = ([], []) }
      return (inbox.jobs, inbox.cancelled)
    }
  }
}
