import Foundation
import FoundationNetworking
import Synchronization

/// Requests over Foundation's `URLSession`.
public final class URLSessionTransport: HTTPTransport {
  /// The transport of the process.
  public static let shared = URLSessionTransport()

  private let session: URLSession
  private let receiver = Receiver()

  /// Makes a transport.
  ///
  /// - Parameters:
  ///   - idle: the time without a byte after which a request fails, in seconds.
  ///   - total: the longest time of a request, in seconds.
  public init(idle: Double = 60, total: Double = 900) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = idle
    configuration.timeoutIntervalForResource = total
    configuration.httpMaximumConnectionsPerHost = 16
    configuration.httpShouldSetCookies = false
    configuration.httpCookieAcceptPolicy = .never
    configuration.urlCache = nil
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: queue)
  }

  deinit { session.invalidateAndCancel() }

  /// Sends a request, as `HTTPTransport` says.
  public func send(_ request: HTTPRequest, limit: Int) async throws(HTTPFailure) -> HTTPResponse {
    guard let url = URL(string: request.url) else { throw .unreachable("'\(request.url)' is no address") }
    var wire = URLRequest(url: url)
    wire.httpMethod = request.method
    for (name, value) in request.headers where name != "host" {
      wire.setValue(value, forHTTPHeaderField: name)
    }
    if request.method == "PUT" { wire.httpBody = request.body }
    let task = session.dataTask(with: wire)
    let result: Result<HTTPResponse, HTTPFailure> = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        receiver.await(task, limit: limit) { continuation.resume(returning: $0) }
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
    return try result.get()
  }
}

/// An answer in the making.
private struct Exchange {
  var limit: Int
  var response: HTTPURLResponse?
  var body = Data()
  var isTooLarge = false
  var end: @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void

  func outcome(_ error: (any Error)?) -> Result<HTTPResponse, HTTPFailure> {
    if isTooLarge { return .failure(.tooLarge) }
    if let error { return .failure(HTTPFailure(error)) }
    guard let response else { return .failure(.unreachable("there is no answer")) }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields {
      if let name = name as? String, let value = value as? String { headers[name.lowercased()] = value }
    }
    return .success(HTTPResponse(status: response.statusCode, headers: headers, body: body))
  }
}

/// Collects the answers of a session's tasks.
private final class Receiver: NSObject, URLSessionDataDelegate {
  private let exchanges = Mutex<[Int: Exchange]>([:])

  func await(
    _ task: URLSessionTask, limit: Int, _ end: @escaping @Sendable (Result<HTTPResponse, HTTPFailure>) -> Void
  ) {
    exchanges.withLock { $0[task.taskIdentifier] = Exchange(limit: limit, end: end) }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    let isTooLarge = exchanges.withLock { exchanges in
      exchanges[dataTask.taskIdentifier]?.response = response as? HTTPURLResponse
      let limit = exchanges[dataTask.taskIdentifier]?.limit ?? .max
      let isTooLarge =
        dataTask.originalRequest?.httpMethod != "HEAD" && response.expectedContentLength > limit
      exchanges[dataTask.taskIdentifier]?.isTooLarge = isTooLarge
      return isTooLarge
    }
    completionHandler(isTooLarge ? .cancel : .allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let isTooLarge = exchanges.withLock { exchanges in
      guard var exchange = exchanges.removeValue(forKey: dataTask.taskIdentifier) else { return false }
      if exchange.isTooLarge || exchange.body.count + data.count > exchange.limit {
        (exchange.isTooLarge, exchange.body) = (true, Data())
      } else {
        exchange.body.append(data)
      }
      exchanges[dataTask.taskIdentifier] = exchange
      return exchange.isTooLarge
    }
    if isTooLarge { dataTask.cancel() }
  }

  // No redirect: its target would need another signature, and may be another server.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    exchanges.withLock { $0[task.taskIdentifier]?.response = response }
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
    exchange.end(exchange.outcome(error))
  }
}

extension HTTPFailure {
  fileprivate init(_ error: any Error) {
    guard let error = error as? URLError else {
      self = .unreachable("\(error)")
      return
    }
    switch error.code {
    case .timedOut: self = .timedOut
    case .cancelled: self = .cancelled
    case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid, .secureConnectionFailed:
      self = .untrusted(error.localizedDescription)
    default: self = .unreachable(error.localizedDescription)
    }
  }
}
