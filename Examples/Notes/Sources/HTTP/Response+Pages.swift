import FilePackages
import Foundation
import HTTPTypes
import Hummingbird
import ImageNotes
import NIOCore
import Synchronization
import SystemPackage

extension Response {
  init(
    _ status: HTTPResponse.Status = .ok, type: String, _ bytes: some Sequence<UInt8>,
    headers: HTTPFields = [:]
  ) {
    self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    self.headers[.contentType] = type
  }

  /// An answer of a value.
  static func json(_ value: some Encodable, _ status: HTTPResponse.Status = .ok) throws -> Response {
    Response(status, type: "application/json", try JSONEncoder.plain.encode(value))
  }

  /// An answer that says nothing more.
  static let done = Response(type: "application/json", "{}".utf8)

  /// The bytes of an image, which no page of another site can show. The address of a picture changes with its bytes.
  static func image(_ file: FileWrapper) throws -> Response {
    let type =
      switch try ImageHeader(of: file).format {
      case .png: "image/png"
      case .jpeg: "image/jpeg"
      case .gif: "image/gif"
      case .webP: "image/webp"
      case .bmp: "image/bmp"
      case .tiff: "image/tiff"
      case .heic: "image/heic"
      }
    let size = try file.withRandomAccess { size, _ in size }
    return Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "private, max-age=31536000, immutable"],
      body: .pieces(of: size) { start, count in
        try file.withRandomAccess { _, read in try read(start, count) }
      })
  }

  /// The bytes of a file, which is open from now on.
  static func file(_ url: URL, type: String) throws -> Response {
    let file = try OpenFile(url)
    return Response(
      status: .ok, headers: [.contentType: type],
      body: .pieces(of: file.size) { start, count in try file.bytes(from: start, count) })
  }

  /// Server-sent events, until the channel or the connection ends.
  ///
  /// - Parameter join: returns the page's channel, and the work at its end.
  static func events(
    of request: PageRequest,
    _ join: @escaping @Sendable () async throws -> (EventChannel, leave: @Sendable () async -> Void)
  ) -> Response {
    let body = ResponseBody { writer in
      let (channel, leave) = try await join()
      let heart = Task {
        while true {
          try await Task.sleep(for: .seconds(5))
          channel.send(.heartbeat)
        }
      }
      let failure: (any Error)?
      do {
        try await request.body.consumeWithInboundCloseHandler { _ in
          for await event in channel.stream { try await writer.write(ByteBuffer(bytes: event.bytes)) }
        } onInboundClosed: {
          channel.finish()
        }
        failure = nil
      } catch {
        failure = error
      }
      heart.cancel()
      // The page is gone, also if the server ends at this moment.
      await Task { await leave() }.value
      if let failure { throw failure }
      try await writer.finish(nil)
    }
    return Response(
      status: .ok, headers: [.contentType: "text/event-stream", .connection: "close"], body: body)
  }

  /// Adds the fields that every answer has: no page of another origin can use, show or keep it.
  mutating func protect() {
    let fields: [(HTTPField.Name?, String)] = [
      (.xContentTypeOptions, "nosniff"), (.init("Referrer-Policy"), "no-referrer"),
      (.init("Cross-Origin-Resource-Policy"), "same-origin"),
      (.init("Cross-Origin-Opener-Policy"), "same-origin"),
      (.init("X-Frame-Options"), "DENY"), (.cacheControl, "no-store"),
      (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'; sandbox"),
    ]
    for case (let name?, let value) in fields where headers[name] == nil { headers[name] = value }
  }
}

extension ResponseBody {
  /// Pieces that a function reads.
  static func pieces(
    of size: UInt64, _ read: @escaping @Sendable (_ start: UInt64, _ count: Int) throws -> [UInt8]
  ) -> Self {
    ResponseBody(contentLength: Int(size)) { writer in
      var start: UInt64 = 0
      while start < size {
        let bytes = try read(start, Int(min(256 << 10, size - start)))
        // A file that another program cut short ends the connection before its declared size.
        if bytes.isEmpty { throw HTTPRefusal.notFound }
        try await writer.write(ByteBuffer(bytes: bytes))
        start += UInt64(bytes.count)
      }
      try await writer.finish(nil)
    }
  }
}

/// A file that is open for reading, and needs its name no more.
private final class OpenFile: Sendable {
  private let descriptor: SystemPackage.FileDescriptor
  let size: UInt64

  init(_ url: URL) throws {
    descriptor = try .open(url.path, .readOnly, options: .closeOnExec)
    size = UInt64(try descriptor.seek(offset: 0, from: .end))
  }

  // A descriptor for reading has nothing that a failed close could lose.
  deinit { try? descriptor.close() }

  func bytes(from start: UInt64, _ count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
      used = try descriptor.read(
        fromAbsoluteOffset: Int64(start), into: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}
