import CommandSupport
import Documents
import DurableIO
import FilePackages
import Glibc
import Synchronization

/// Standard input by lines, read without blocking other tasks.
struct LineInput {
  private let thread = BlockingThread()
  private let bytes = InputBytes()

  /// Returns the next line, with the spelling of filenames for bytes that are not UTF-8; nil at the end.
  ///
  /// - Throws: `InputError` if standard input cannot be read.
  func next() async throws -> String? {
    try await thread.run { [bytes] in try bytes.line().map { FileName(bytes: $0).string } }
  }
}

/// The bytes of standard input that were read and not yet returned.
private final class InputBytes: Sendable {
  private let rest = Mutex<[UInt8]>([])

  /// Returns the bytes up to the next line break or the end; nil if there are none left.
  func line() throws -> [UInt8]? {
    var line = rest.withLock { $0 }
    var searched = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      if let end = line[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        rest.withLock { $0 = Array(line[(end + 1)...]) }
        return Array(line[..<end].last == UInt8(ascii: "\r") ? line[..<(end - 1)] : line[..<end])
      }
      searched = line.count
      let count = read(STDIN_FILENO, &chunk, chunk.count)
      if count > 0 {
        line += chunk[..<count]
      } else if count == 0 {
        rest.withLock { $0 = [] }
        return line.isEmpty ? nil : line
      } else if errno != EINTR {
        throw InputError(
          description: "Standard input could not be read: \(String(cString: strerror(errno))).")
      }
    }
  }
}
