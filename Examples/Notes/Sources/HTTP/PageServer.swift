import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Hummingbird on this machine's own addresses, 127.0.0.1 and ::1: a browser may use either of them for a name below
/// `localhost`, so another program must have neither.
enum PageServer {
  /// The number of connections to one address at one time. Others wait until one ends.
  private static let connections = 256

  /// Serves until the task is cancelled.
  ///
  /// - Parameter whenReady: runs as soon as clients can connect.
  /// - Throws: `IOError` with EADDRINUSE if another program uses the port.
  static func run(
    at port: UInt16, _ responder: some HTTPResponder<BasicRequestContext>,
    whenReady: @escaping @Sendable () async throws -> Void
  ) async throws {
    let all = try System.enumerateDevices().compactMap { $0.address?.ipAddress }
    // A machine without IPv6 has no ::1, and no program can be there.
    let own = ["127.0.0.1", "::1"].filter { $0 == "127.0.0.1" || all.contains($0) }
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      for address in own {
        let application = Application(
          responder: responder, server: HTTPServerBuilder { PageChannel(responder: $0) },
          configuration: ApplicationConfiguration(
            address: .hostname(address, port: Int(port)),
            availableConnectionsDelegate: .maximum(connections, logger: silent)),
          onServerRunning: { _ in start.yield() }, logger: silent)
        group.addTask { try await application.run() }
      }
      group.addTask {
        var count = 0
        for await _ in started {
          count += 1
          if count == own.count { try await whenReady() }
        }
      }
      try await group.next()
    }
  }

  private static let silent = Logger(label: "docpkg-serve") { _ in SwiftLogNoOpLogHandler() }
}

/// A connection of HTTP/1.1, with Hummingbird's limits and two more.
private struct PageChannel: HTTPChannelHandler {
  private let http: HTTP1Channel

  init(responder: @escaping Responder) {
    let limit = 16 << 10
    http = HTTP1Channel(
      responder: responder,
      configuration: .init(
        additionalChannelHandlers: [
          IdleStateHandler(writeTimeout: .seconds(10)), ConnectionEnd(),
        ],
        // Also the longest time for a head, and for the next bytes of a body.
        idleTimeout: .seconds(10),
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: limit, maxHeaderListSize: limit, maxHeaderFieldCount: 100)))
  }

  var responder: Responder { http.responder }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      try pipeline.addHandler(
        HeadCheck(), position: .before(try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await handleHTTP(asyncChannel: value, logger: logger)
  }
}

/// Accepts less than the standard allows: one version, a path as the target, and one host.
private final class HeadCheck: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  private var hasRefused = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if case .head(let head) = unwrapInboundIn(data),
      head.version != .http1_1 || !head.uri.hasPrefix("/") || head.headers["host"].count > 1
    {
      hasRefused = true
      context.fireErrorCaught(HTTPParserError.invalidVersion)
    }
    if !hasRefused { context.fireChannelRead(data) }
  }
}

/// Ends a connection behind an answer with `Connection: close`, and one whose client takes no bytes.
///
/// The client may still send. These bytes are dropped, and must not look like the next request. The whole connection
/// ends only some time later, because its end could overtake the answer.
private final class ConnectionEnd: ChannelDuplexHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = HTTPResponsePart
  typealias OutboundOut = HTTPResponsePart
  private var closes = false
  private var hasEnded = false

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if !hasEnded { context.fireChannelRead(data) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    switch unwrapOutboundIn(data) {
    case .head(let head) where head.headerFields[.connection] == "close": closes = true
    case .end where closes:
      hasEnded = true
      context.writeAndFlush(data, promise: promise)
      let channel = context.channel
      channel.close(mode: .output, promise: nil)
      channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
      return
    default: break
    }
    context.write(data, promise: promise)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent, !context.channel.isWritable { context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }
}
