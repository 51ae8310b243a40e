package import DurableIO
package import FoundationEssentials
import Glibc

/// The inputs from outside the program: the time, new identifiers, the computer.
///
/// A test gives its own, so that the same edits make the same bytes:
///
///     try await Environment.$current.withValue(fixed) { try await store.save() }
package struct Environment: Sendable {
  /// The current time.
  package var now: @Sendable () -> FileTime = { .now }
  /// An identifier that nothing else has.
  package var identifier: @Sendable () -> UUID = { UUID.random() }
  /// The computer's name.
  package var computer: @Sendable () -> String = { Self.hostname }

  /// Those of the task that asks.
  @TaskLocal package static var current = Environment()

  package init() {}

  private static var hostname: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let start = buffer.baseAddress, gethostname(start, 255) == 0 else { return "" }
      buffer[255] = 0
      return String(cString: start)
    }
  }
}

extension UUID {
  /// An identifier that nothing else has.
  package static var new: UUID { Environment.current.identifier() }

  /// Returns an identifier of version 4. `UUID()` opens `/dev/urandom` for each.
  fileprivate static func random() -> UUID {
    var bytes: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    guard withUnsafeMutableBytes(of: &bytes, { SystemRandom.fill($0) }) else { return UUID() }
    bytes.6 = bytes.6 & 0x0f | 0x40
    bytes.8 = bytes.8 & 0x3f | 0x80
    return UUID(uuid: bytes)
  }

  /// The text of `uuidString`, which formats each byte by itself.
  var text: String {
    String(unsafeUninitializedCapacity: 36) { text in
      withUnsafeBytes(of: uuid) { bytes in
        var end = 0
        for (position, byte) in bytes.enumerated() {
          if position == 4 || position == 6 || position == 8 || position == 10 {
            text[end] = UInt8(ascii: "-")
            end += 1
          }
          text[end] = (byte >> 4).hexadecimalDigit(isUpperCase: true)
          text[end + 1] = (byte & 15).hexadecimalDigit(isUpperCase: true)
          end += 2
        }
        return end
      }
    }
  }

  /// Eight hexadecimal digits of it, for a name.
  package var token: Substring { uuidString.lowercased().prefix(8) }
}
