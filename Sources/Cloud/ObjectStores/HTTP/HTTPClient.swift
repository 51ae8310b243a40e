import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import Synchronization

/// Requests over connections of HTTP/1.1 that stay open for the next request.
///
/// Certificates are checked with those that the system trusts. `SSL_CERT_FILE` names others, and so does `authorities`.
/// A proxy comes from `https_proxy`, `http_proxy` and `no_proxy`. libssl is loaded with the first encrypted connection.
package final class HTTPClient: HTTPTransport {
  /// The times that a request may take.
  package struct Times: Sendable, Hashable {
    /// The longest time to connect to one address.
    package var connecting: Duration
    /// The longest time in which fewer than 4 KiB come or go.
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
  private let environment: [String: String]
  private let authorities: String?
  private let turns: AsyncSemaphore
  private let idle = Mutex<[HTTPConnection.Origin: [HTTPConnection]]>([:])

  /// Makes a client.
  ///
  /// - Parameters:
  ///   - connections: the number of requests at once; more requests wait.
  ///   - authorities: a file or folder with the certificates that count; nil for the system's.
  ///   - environment: the variables that name a proxy or a file of certificates.
  package init(
    times: Times = Times(), connections: Int = 8, authorities: String? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    (self.times, self.authorities, self.environment) = (times, authorities, environment)
    turns = AsyncSemaphore(max(1, connections))
  }

  /// Sends a request, as `HTTPTransport` says.
  package func send(_ request: HTTPRequest, limit: Int) async throws(HTTPFailure) -> HTTPResponse {
    let host = HTTPRequest.unbracketed(request.host)
    let origin = HTTPConnection.Origin(
      isEncrypted: request.isEncrypted, host: host, port: request.port ?? (request.isEncrypted ? 443 : 80),
      proxy: try HTTPProxy.find(for: host, isEncrypted: request.isEncrypted, in: environment),
      authorities: request.isEncrypted ? authorities : nil)
    do { try await turns.waitUnlessCancelled() } catch { throw .cancelled }
    defer { turns.signal() }
    let cancellation = try HTTPCancellation()
    let outcome: Result<HTTPResponse, HTTPFailure> = await withTaskCancellationHandler {
      do throws(HTTPFailure) {
        return .success(try await send(request, to: origin, limit: limit, cancellation))
      } catch {
        return .failure(error)
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try outcome.get()
  }

  private func send(
    _ request: HTTPRequest, to origin: HTTPConnection.Origin, limit: Int, _ cancellation: HTTPCancellation
  ) async throws(HTTPFailure) -> HTTPResponse {
    if let connection = await idleConnection(to: origin) {
      do throws(HTTPFailure) {
        return try await send(request, over: connection, to: origin, limit: limit, cancellation)
      } catch .unreachable(let reason) {
        // The server may have closed the connection when the request was on its way. A request whose answer depends on
        // an earlier one of its kind is not repeated.
        if await connection.answerBegan || request.headers["if-none-match"] != nil {
          throw .unreachable(reason)
        }
      }
    }
    let times = times
    let connection = try await BlockingThread().run { [environment] () throws(HTTPFailure) in
      // libssl says nothing of a file that is not there.
      if origin.isEncrypted, origin.authorities == nil, let file = environment["SSL_CERT_FILE"],
        access(file, R_OK) != 0
      {
        throw .untrusted("SSL_CERT_FILE names '\(file)', which cannot be read")
      }
      return try HTTPConnection(to: origin, times, cancellation)
    }
    return try await send(request, over: connection, to: origin, limit: limit, cancellation)
  }

  private func send(
    _ request: HTTPRequest, over connection: HTTPConnection, to origin: HTTPConnection.Origin, limit: Int,
    _ cancellation: HTTPCancellation
  ) async throws(HTTPFailure) -> HTTPResponse {
    let answer = try await connection.send(request, limit: limit, times, cancellation)
    if await connection.isReusable { idle.withLock { $0[origin, default: []].append(connection) } }
    return answer
  }

  private func idleConnection(to origin: HTTPConnection.Origin) async -> HTTPConnection? {
    while let connection = idle.withLock({ $0[origin]?.popLast() }) {
      if await connection.isQuiet { return connection }
    }
    return nil
  }
}
