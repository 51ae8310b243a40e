import CDecoder
import DurableIO
import FilePackages
import FoundationEssentials
import Glibc
import SystemPackage

/// Small pictures for the rows of the library, which libvips makes of a document's pictures.
///
/// TH1 The decoder runs in a process of its own, with the bytes of one picture: see `CDecoder.h`. It reads only the
///    formats that libvips trusts.
/// TH2 A picture that it cannot decode, a machine without libvips and a kernel without Landlock lose no picture: the page
///    then gets the whole one.
final class Thumbnails: Sendable {
  /// The longer side, in pixels: a row shows 48, on a screen that is twice as fine.
  private static let side = 96
  /// The most bytes of a small picture.
  private static let limit = 256 << 10
  /// From Debian's `libvips-tools`. The decoder may read programs below `/usr` only.
  private static let program = "/usr/bin/vipsthumbnail"

  private let isAvailable = cdecoder_is_available() != 0 && access(Thumbnails.program, X_OK) == 0
  /// The decoders that run at once.
  private let turns = AsyncSemaphore(2)

  /// Returns a small picture as WebP; nil if there is none.
  func thumbnail(of file: FileWrapper) async throws -> [UInt8]? {
    guard isAvailable else { return nil }
    try await turns.waitUnlessCancelled()
    defer { turns.signal() }
    return try await BlockingThread().run { () throws in try Self.decoded(file) }
  }

  private static func decoded(_ file: FileWrapper) throws -> [UInt8]? {
    let input = try SocketPair()
    let output = try SocketPair()
    let process = start(input.theirs, output.theirs)
    input.closeTheirs()
    output.closeTheirs()
    guard process > 0 else { return nil }
    defer {
      // A decoder that hangs, or gives more than a small picture.
      kill(process, SIGKILL)
      while waitpid(process, nil, 0) < 0 && errno == EINTR {}
    }
    try file.withRandomAccess { size, read in
      var start: UInt64 = 0
      while start < size {
        let bytes = try read(start, Int(min(256 << 10, size - start)))
        // A decoder that ends early has what it needs, or fails.
        guard !bytes.isEmpty, input.send(bytes) else { return }
        start += UInt64(bytes.count)
      }
    }
    input.endSending()
    let bytes = output.receive(upTo: limit)
    return bytes.starts(with: Array("RIFF".utf8)) ? bytes : nil
  }

  private static func start(_ input: Int32, _ output: Int32) -> pid_t {
    func strings(_ values: [String]) -> [UnsafeMutablePointer<CChar>?] { values.map { strdup($0) } + [nil] }
    let arguments = strings([
      program, "stdin[fail_on=truncated]", "--size", "\(side)x\(side)", "-o", ".webp[Q=75,strip]",
    ])
    let environment = strings(["VIPS_BLOCK_UNTRUSTED=1", "VIPS_CONCURRENCY=1"])
    defer { for string in arguments + environment { free(string) } }
    return cdecoder_start(program, arguments, environment, input, output)
  }
}

/// Two connected sockets. Each wait for the other end is bounded.
private final class SocketPair {
  private let ours: Int32
  private(set) var theirs: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0
    else {
      throw SystemError("socketpair", code: Errno(rawValue: errno))
    }
    (ours, theirs) = (ends[0], ends[1])
    var patience = timeval(tv_sec: 15, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(ours, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  deinit {
    closeTheirs()
    close(ours)
  }

  func closeTheirs() {
    if theirs >= 0 { close(theirs) }
    theirs = -1
  }

  /// Sends bytes; returns whether the other end took them all.
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(ours, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  func endSending() { shutdown(ours, Int32(SHUT_WR)) }

  /// Receives everything up to the end; nothing if that is more than `limit`.
  func receive(upTo limit: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while bytes.count <= limit {
      let count = recv(ours, &buffer, buffer.count, 0)
      if count < 0, errno == EINTR { continue }
      if count < 0 { return [] }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
    }
    return []
  }
}
