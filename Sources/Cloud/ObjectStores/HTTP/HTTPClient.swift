import DurableIO
import FoundationEssentials
import Synchronization

/// Requests by libcurl, over connections that stay open for the next request.
///
/// Certificates are checked with those that the system trusts. `SSL_CERT_FILE`, `SSL_CERT_DIR` and
/// `authorities` name other ones. `HTTPProxy` has the variables of a proxy.
package final class HTTPClient: HTTPTransport {
  /// The times that a request may take.
  package struct Times: Sendable, Hashable {
    /// The longest time until a connection is there, and encrypted.
    package var connecting: Duration
    /// The longest time at a speed of less than 4 KiB in this time. Parts of a second count as a second.
    package var idle: Duration
    /// The longest time of a request.
    package var total: Duration

    /// Makes times; by default 15 seconds, a minute and a quarter of an hour.
    package init(
      connecting: Duration = .seconds(15), idle: Duration = .seconds(60), total: Duration = .seconds(900)
    ) {
      (self.connecting, self.idle, self.total) = (connecting, idle, total)
    }
  }

  /// The client of the process.
  package static let shared = HTTPClient()

  private let times: Times
  private let rate: Int?
  private let environment: [String: String]
  private let authorities: HTTPAuthorities
  private let turns: AsyncSemaphore
  /// The connections without a request. The last one was used last.
  private let idle = Mutex<[CurlConnection]>([])

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - limits: the number of requests at once, beyond which more requests wait; and the bytes a second.
  ///   - authorities: a file or folder with the certificates that count; nil for the system's.
  ///   - environment: the variables that name a proxy or certificates.
  package init(
    times: Times = Times(), limits: TransferLimits = TransferLimits(), authorities: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    (self.times, self.environment, rate) = (times, environment, limits.rate)
    self.authorities =
      authorities.map { .own($0) }
      ?? .system(file: environment["SSL_CERT_FILE"], folder: environment["SSL_CERT_DIR"])
    turns = AsyncSemaphore(limits.connections)
  }

  /// Sends a request, as `HTTPTransport` says.
  package func send(_ request: HTTPRequest, limit: Int) async throws(HTTPFailure) -> HTTPResponse {
    let proxy = HTTPProxy(for: request.host, isEncrypted: request.isEncrypted, in: environment)
    do { try await turns.waitUnlessCancelled() } catch { throw .cancelled }
    defer { turns.signal() }
    let connection = idle.withLock { $0.popLast() } ?? CurlConnection()
    defer { idle.withLock { $0.append(connection) } }
    return try await connection.send(
      CurlOrder(
        request: request, limit: limit, times: times, rate: rate, proxy: proxy,
        authorities: authorities))
  }
}

/// The certificates of the authorities that count.
enum HTTPAuthorities: Sendable, Hashable {
  /// Those of the system, with another file or folder in the place of the system's.
  case system(file: String?, folder: String?)
  /// Those of a file or a folder alone.
  case own(String)

  /// The reason of a request that could not read them.
  var unreadable: String {
    switch self {
    case .system(let file?, _): "SSL_CERT_FILE names '\(file)', which cannot be read"
    case .system: "the system has no certificates of authorities"
    case .own(let path): "the file of the authorities has no certificates: '\(path)'"
    }
  }
}
